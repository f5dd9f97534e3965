//! Keeps the golden corpus in an emulator of Azure's object store, where it is installed, and reads
//! it as Azure and Google are read.

use std::path::Path;
use std::process::Command;

use tempfile::TempDir;

use crate::objects::{PUSHED, serve_folder};
use crate::servers::{as_variables, free_port, keep, port_of, wait_for};
use crate::wire::python_with;
use crate::{CHANGES, GOLDEN, is_no_verdict};

/// The key of the account that Azurite has, which its documentation says.
const KEY: &str =
    "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==";

/// Pushes, searches, removes, compacts and pulls.
fn is_a_store(url: &str, variables: &[(&str, &str)], pulled: &str) {
    let run = |args: &[&str]| {
        let (status, said, errors) = GOLDEN.run_with(args, variables);
        assert_eq!((status, errors.as_str()), (0, ""), "{args:?}: {said}");
        said
    };
    assert!(run(&["push", "golden", url]).starts_with("2 sources added"));
    CHANGES.are_judged_alike(&GOLDEN, url, variables);
    assert!(run(&["push", "golden", url]).starts_with("0 sources added"));
    assert!(run(&["pull", url, "--name", pulled]).starts_with("2 sources added"));
    run(&["remove", url, "past"]);
    let (status, _, errors) = CHANGES.check(4, &GOLDEN, url, variables);
    assert_eq!(status, 0, "the code of the removed source is not found: {errors}");
}

#[test]
fn findings_from_azurite_are_those_from_segments() {
    let Some(azurite) = std::env::var_os("SECONDHAND_TEST_AZURITE") else {
        eprintln!("not tested: no Azurite is named by SECONDHAND_TEST_AZURITE");
        return;
    };
    let Some(python) = python_with("hmac") else { return };
    let (port, folder) =
        (free_port(), TempDir::new().expect("the folder for temporary files is writable").keep());
    let (azurite, folder) =
        (Path::new(&azurite).display().to_string(), folder.display().to_string());
    let port_text = port.to_string();
    keep(
        "node",
        &[
            &azurite, "--silent", "--skipApiVersionCheck", "--location", &folder, "--blobPort",
            &port_text,
        ],
    );
    wait_for(port);
    // Makes a container, signed as Azure asks.
    let make = "import base64, email.utils, hashlib, hmac, sys, urllib.request
port, key = sys.argv[1:]
date = email.utils.formatdate(usegmt=True)
headers = f'x-ms-date:{date}\\nx-ms-version:2021-08-06\\n/devstoreaccount1/devstoreaccount1/corpora\\nrestype:container'
text = 'PUT' + '\\n' * 12 + headers
signature = base64.b64encode(hmac.new(base64.b64decode(key), text.encode(), hashlib.sha256).digest()).decode()
request = urllib.request.Request(f'http://127.0.0.1:{port}/devstoreaccount1/corpora?restype=container', method='PUT',
    headers={'x-ms-date': date, 'x-ms-version': '2021-08-06', 'Authorization': f'SharedKey devstoreaccount1:{signature}'})
urllib.request.urlopen(request)";
    let made =
        Command::new(python).args(["-c", make, &port_text, KEY]).output().expect("it starts");
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let place = format!("http://127.0.0.1:{port}");
    let variables = [
        ("AZURE_STORAGE_USE_EMULATOR", "true"),
        ("AZURITE_BLOB_STORAGE_URL", place.as_str()),
        ("AZURE_ALLOW_HTTP", "true"),
    ];
    is_a_store("az://corpora/golden", &variables, "of-azurite");
    is_no_verdict("az://corpora/nothing", &variables, &["there is no corpus"]);
    is_no_verdict("az://nothing/golden", &variables, &["az://nothing/golden"]);
}

/// What leads to a server of Google's interface that knows no users.
fn google(port: u16) -> [(&'static str, String); 2] {
    let account = format!(
        "{{\"gcs_base_url\":\"http://127.0.0.1:{port}\",\"disable_oauth\":true,\"client_email\":\"\",\
         \"private_key\":\"\",\"private_key_id\":\"\"}}"
    );
    [("GOOGLE_SERVICE_ACCOUNT_KEY", account), ("GOOGLE_ALLOW_HTTP", "true".to_owned())]
}

/// Both read objects as they come from any web server: by their path, and in ranges.
#[test]
fn findings_from_azure_and_google_as_they_are_read_are_those_from_segments() {
    let place = serve_folder(&PUSHED, "/corpora/golden/");
    let variables = google(port_of(&place));
    CHANGES.are_judged_alike(&GOLDEN, "gs://corpora/golden", &as_variables(&variables));
    let variables = [
        ("AZURE_STORAGE_ACCOUNT_NAME", "account"),
        ("AZURE_SKIP_SIGNATURE", "true"),
        ("AZURE_ENDPOINT", place.as_str()),
        ("AZURE_ALLOW_HTTP", "true"),
    ];
    CHANGES.are_judged_alike(&GOLDEN, "az://corpora/golden", &variables);
}
