//! Runs `secondhand mcp`: answers agents over standard input and output, in the Model Context
//! Protocol.
//!
//! Promise: whatever a client sends, the answer conforms to the protocol, and the server runs until
//! its input ends.

mod answer;
mod tools;
mod wire;

use std::sync::Arc;

use rmcp::ServiceExt;

use self::tools::Server;
use self::wire::Wire;
use crate::cli::flags::Common;
use crate::cli::io::Failure;
use crate::git::Repository;

pub(in crate::cli) fn run(common: &Common) -> Result<(), Failure> {
    let root = Repository::discover(&common.repo)?.root().to_owned();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build();
    let runtime = runtime.map_err(|why| Failure::output(&why))?;
    let (wire, written) = Wire::of_process();
    let server = Server::new(common, Arc::from(root));
    runtime.block_on(async {
        // A client that disconnects before it has sent anything is no failure.
        if let Ok(service) = server.serve(wire).await {
            let _ = service.waiting().await;
        }
    });
    written.wait();
    // Canceled work is not waited for.
    runtime.shutdown_background();
    Ok(())
}
