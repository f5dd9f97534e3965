-- Waits for a copy in the open file to be marked, and asks for the actions on it. Runs in Neovim 0.7 and later:
-- nvim --headless -u NONE -n FILE -c 'luafile neovim.lua'
local config = { name = 'secondhand', cmd = { vim.env.TRIED_BINARY, 'lsp' }, root_dir = vim.fn.getcwd() }
if vim.lsp.start then
  vim.lsp.start(config)
else
  vim.lsp.buf_attach_client(0, vim.lsp.start_client(config))
end
local found = {}
vim.wait(60000, function()
  found = vim.diagnostic.get(0)
  return #found > 0
end, 50)
local titles = {}
if #found > 0 then
  local at = { line = found[1].lnum, character = 0 }
  local params = {
    textDocument = vim.lsp.util.make_text_document_params(),
    range = { start = at, ['end'] = at },
    context = { diagnostics = {} },
  }
  for _, answer in pairs(vim.lsp.buf_request_sync(0, 'textDocument/codeAction', params, 30000) or {}) do
    for _, action in ipairs(answer.result or {}) do
      table.insert(titles, action.title)
    end
  end
  io.stdout:write(found[1].source, ': ', found[1].message, '\n', table.concat(titles, '\n'), '\n')
end
vim.cmd(#titles >= 3 and 'qall!' or 'cquit!')
