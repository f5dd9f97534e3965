// Starts `secondhand lsp`, and shows a copy and its origin side by side.
//
// The client registers the commands that the server offers, `secondhand.show` and `secondhand.sideBySide`. The first one
// asks for `window/showDocument`, which the client answers; the result of the second one is shown here.
const vscode = require('vscode');
const { LanguageClient } = require('vscode-languageclient/node');

const SCHEME = 'secondhand';

exports.activate = async (context) => {
  const settings = vscode.workspace.getConfiguration('secondhand');
  const changed = new vscode.EventEmitter();
  const options = {
    documentSelector: [{ scheme: 'file' }],
    initializationOptions: { base: settings.get('base') || undefined },
    middleware: {
      executeCommand: async (command, args, next) => {
        const result = await next(command, args);
        if (command === 'secondhand.sideBySide' && result) {
          const uri = vscode.Uri.parse(result.uri);
          changed.fire(uri);
          const document = await vscode.workspace.openTextDocument(uri);
          await vscode.window.showTextDocument(document, { preview: true });
        }
        return result;
      },
    },
  };
  const server = { command: settings.get('path'), args: ['lsp'] };
  const client = new LanguageClient(SCHEME, 'Secondhand', server, options);
  const provideTextDocumentContent = async (uri) =>
    (await client.sendRequest('workspace/textDocumentContent', { uri: uri.toString() })).text;
  const provider = { onDidChange: changed.event, provideTextDocumentContent };
  context.subscriptions.push(
    changed,
    vscode.workspace.registerTextDocumentContentProvider(SCHEME, provider),
    { dispose: () => client.stop() },
  );
  await client.start();
};
