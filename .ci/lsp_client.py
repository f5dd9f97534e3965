"""Talks to `secondhand lsp` as an editor does, with pytest-lsp: diagnostics, code actions, and the virtual document."""

import ast
import asyncio
import os
import pathlib

import pytest_lsp
from lsprotocol import types
from pytest_lsp import ClientServerConfig, LanguageClient

TREE = pathlib.Path(os.environ["TRIED_TREE"])


@pytest_lsp.fixture(config=ClientServerConfig(server_command=[os.environ["TRIED_BINARY"], "lsp"]))
async def client(lsp_client: LanguageClient):
    folder = types.WorkspaceFolder(uri=TREE.as_uri(), name="tree")
    capabilities = types.ClientCapabilities(
        window=types.WindowClientCapabilities(show_document=types.ShowDocumentClientCapabilities(support=True))
    )
    await lsp_client.initialize_session(
        types.InitializeParams(capabilities=capabilities, root_uri=TREE.as_uri(), workspace_folders=[folder])
    )
    yield
    await lsp_client.shutdown_session()


def opened(client, name, text):
    uri = (TREE / name).as_uri()
    item = types.TextDocumentItem(uri=uri, language_id="c", version=1, text=text)
    client.text_document_did_open(types.DidOpenTextDocumentParams(text_document=item))
    return uri


def params_of(action):
    """What carries an action out. lsprotocol reads an action with a command as if it were a bare command."""
    command = ast.literal_eval(action.command) if isinstance(action.command, str) else action.command
    name, arguments = (command["command"], command["arguments"]) if isinstance(command, dict) else (command.command, command.arguments)
    return types.ExecuteCommandParams(command=name, arguments=arguments)


async def diagnostics(client, uri, n):
    """The diagnostics of a document, once there are `n`."""
    for _ in range(100):
        if uri in client.diagnostics and len(client.diagnostics[uri]) == n:
            return client.diagnostics[uri]
        await asyncio.sleep(0.1)
    raise AssertionError(f"not {n} diagnostics: {client.diagnostics.get(uri)}")


async def test_a_copy_is_marked_with_its_origin_and_goes_when_it_is_edited_away(client):
    text = (TREE / "src/table.c").read_text()
    uri = opened(client, "src/table.c", text)
    [found] = await diagnostics(client, uri, 1)
    assert found.code == "copied-code" and found.severity == types.DiagnosticSeverity.Warning
    assert found.related_information[0].location.uri == (TREE / "src/list.c").as_uri()
    change = types.TextDocumentContentChangeWholeDocument(text="int table;\n")
    document = types.VersionedTextDocumentIdentifier(uri=uri, version=2)
    client.text_document_did_change(types.DidChangeTextDocumentParams(text_document=document, content_changes=[change]))
    await diagnostics(client, uri, 0)


async def test_actions_lead_to_the_origin_show_both_sides_and_allow_the_copy(client):
    text = (TREE / "src/table.c").read_text().replace("table_find", "buffer_find")
    uri = opened(client, "src/buffer.c", text)
    found = await diagnostics(client, uri, 1)
    actions = await client.text_document_code_action_async(
        types.CodeActionParams(
            text_document=types.TextDocumentIdentifier(uri=uri),
            range=found[0].range,
            context=types.CodeActionContext(diagnostics=found),
        )
    )
    titles = [action.title for action in actions]
    assert titles[0].startswith("Go to the origin: src/"), titles
    allow = next(action for action in actions if action.title.startswith("Allow"))
    assert "secondhand: allow(copied-code) -- " in allow.edit.changes[uri][0].new_text
    show = next(action for action in actions if "side by side" in action.title)
    result = await client.workspace_execute_command_async(params_of(show))
    text = result["text"] if isinstance(result, dict) else result.text
    assert "buffer_find" in text and " ~ " in text, text
    await client.workspace_execute_command_async(params_of(actions[0]))
    assert client.shown_documents[0].uri.startswith(TREE.as_uri())
