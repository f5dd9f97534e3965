// Runs the extension and the real server, with a small client in place of the editor and its library.
const assert = require('node:assert');
const { execFileSync, spawn } = require('node:child_process');
const { EventEmitter, once } = require('node:events');
const { mkdtempSync, rmSync, writeFileSync } = require('node:fs');
const Module = require('node:module');
const { tmpdir } = require('node:os');
const { join } = require('node:path');
const { test } = require('node:test');
const { pathToFileURL } = require('node:url');

// What the extension asked of the editor.
const editor = { providers: {}, shown: [], clients: [] };
const root = mkdtempSync(join(tmpdir(), 'secondhand-vscode-'));
const settings = { path: process.env.PROGRAM || 'secondhand', base: '' };

const vscode = {
  EventEmitter: class {
    fired = [];
    event = () => {};
    fire(what) { this.fired.push(what); }
    dispose() {}
  },
  Uri: { parse: (text) => ({ toString: () => text, scheme: text.split(':')[0] }) },
  workspace: {
    getConfiguration: () => ({ get: (name) => settings[name] }),
    registerTextDocumentContentProvider: (scheme, provider) => (editor.providers[scheme] = provider),
    openTextDocument: async (uri) => ({ uri, text: await editor.providers[uri.scheme].provideTextDocumentContent(uri) }),
  },
  window: { showTextDocument: async (document) => editor.shown.push(document) },
};

/** A client of the language server protocol with as much of the library's interface as the extension uses. */
class LanguageClient {
  constructor(id, name, server, options) {
    Object.assign(this, { server, options, n: 0, answers: new Map(), notes: new EventEmitter() });
    editor.clients.push(this);
  }
  async start() {
    this.process = spawn(this.server.command, this.server.args, { cwd: root, stdio: ['pipe', 'pipe', 'inherit'] });
    let rest = Buffer.alloc(0);
    this.process.stdout.on('data', (data) => {
      rest = Buffer.concat([rest, data]);
      for (;;) {
        const end = rest.indexOf('\r\n\r\n');
        const start = end + 4;
        const length = end < 0 ? NaN : Number(/Content-Length: (\d+)/.exec(rest.subarray(0, end))[1]);
        if (!(rest.length >= start + length)) return;
        this.take(JSON.parse(rest.subarray(start, start + length)));
        rest = rest.subarray(start + length);
      }
    });
    const { initializationOptions } = this.options;
    const capabilities = { window: { showDocument: { support: true } } };
    const rootUri = pathToFileURL(root).href;
    const { capabilities: offered } = await this.sendRequest('initialize', { rootUri, capabilities, initializationOptions });
    this.commands = offered.executeCommandProvider.commands;
    this.write({ method: 'initialized', params: {} });
  }
  take(message) {
    if (message.method) {
      if (message.id) this.write({ id: message.id, result: { success: true } });
      this.notes.emit(message.method, message.params);
    } else if (message.error) {
      this.answers.get(message.id).reject(new Error(message.error.message));
    } else {
      this.answers.get(message.id).resolve(message.result);
    }
  }
  write(message) {
    const text = JSON.stringify({ jsonrpc: '2.0', ...message });
    this.process.stdin.write(`Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
  }
  sendRequest(method, params) {
    this.write({ id: ++this.n, method, params });
    return new Promise((resolve, reject) => this.answers.set(this.n, { resolve, reject }));
  }
  /** What the library does for a command that the server offers. */
  run(command, args) {
    const next = (command, args) => this.sendRequest('workspace/executeCommand', { command, arguments: args });
    return this.options.middleware.executeCommand(command, args, next);
  }
  async stop() {
    await this.sendRequest('shutdown');
    this.write({ method: 'exit' });
    const [code] = await once(this.process, 'exit');
    assert.strictEqual(code, 0);
  }
}

const load = Module._load;
Module._load = (name, ...rest) =>
  ({ vscode, 'vscode-languageclient/node': { LanguageClient } })[name] ?? load(name, ...rest);
const extension = require('./extension.js');

const body = (name) => `int ${name}(const int *rows, int n, int limit)
{
  int total = 0, last = 0;
  for (int at = 0; at < n; at++) {
    if (rows[at] > limit && rows[at] != last) {
      total += rows[at] * 3 - limit;
      last = rows[at];
    } else if (rows[at] < -limit) {
      total -= rows[at] / 2 + last;
    }
  }
  return total > limit ? total : last;
}
`;

test('a copy is marked, its origin shown, and both are shown side by side', async () => {
  const git = (...args) => execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.org', ...args], { cwd: root });
  git('init', '-q');
  writeFileSync(join(root, 'old.c'), body('sum'));
  git('add', '.');
  git('commit', '-qm', 'all');

  const context = { subscriptions: [] };
  await extension.activate(context);
  const [client] = editor.clients;
  assert.deepStrictEqual(client.commands, ['secondhand.show', 'secondhand.sideBySide']);

  const uri = pathToFileURL(join(root, 'new.c')).href;
  const marked = once(client.notes, 'textDocument/publishDiagnostics');
  const textDocument = { uri, languageId: 'c', version: 1, text: body('sum') };
  client.write({ method: 'textDocument/didOpen', params: { textDocument } });
  const [{ diagnostics }] = await marked;
  assert.strictEqual(diagnostics[0].code, 'copied-code');

  const { range } = diagnostics[0];
  const actions = await client.sendRequest('textDocument/codeAction', { textDocument: { uri }, range, context: { diagnostics } });
  const [show, sideBySide] = actions.map((action) => action.command);
  const asked = once(client.notes, 'window/showDocument');
  await client.run(show.command, show.arguments);
  assert.match((await asked)[0].uri, /old\.c$/);

  await client.run(sideBySide.command, sideBySide.arguments);
  assert.strictEqual(editor.shown.length, 1);
  assert.match(editor.shown[0].uri.toString(), /^secondhand:/);
  assert.match(editor.shown[0].text, /new\.c:1-13.* \| old\.c:1-13/);

  for (const { dispose } of context.subscriptions) await dispose?.();
  rmSync(root, { recursive: true });
});
