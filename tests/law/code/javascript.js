export function debounce(callback, wait) {
  let timer = null;
  return function (...args) {
    const later = () => {
      timer = null;
      callback.apply(this, args);
    };
    clearTimeout(timer);
    timer = setTimeout(later, wait);
  };
}

function parseQuery(text) {
  const query = {};
  for (const part of text.replace(/^\?/, '').split('&')) {
    if (part === '') continue;
    const at = part.indexOf('=');
    const key = decodeURIComponent(at < 0 ? part : part.slice(0, at));
    const value = at < 0 ? true : decodeURIComponent(part.slice(at + 1));
    query[key] = key in query ? [].concat(query[key], value) : value;
  }
  return query;
}

async function loadPages(client, first, limit) {
  const pages = [];
  let cursor = first;
  while (cursor && pages.length < limit) {
    const response = await client.get('/pages', { params: { cursor } });
    if (response.status !== 200) {
      throw new Error(`cannot load page ${cursor}: ${response.status}`);
    }
    pages.push(...response.data.items);
    cursor = response.data.next;
  }
  return pages;
}

function diffKeys(before, after) {
  const added = Object.keys(after).filter((key) => !(key in before));
  const removed = Object.keys(before).filter((key) => !(key in after));
  const changed = Object.keys(after).filter(
    (key) => key in before && !Object.is(before[key], after[key]),
  );
  return { added, removed, changed, isEmpty: added.length + removed.length + changed.length === 0 };
}

function layoutColumns(items, width, gap) {
  const columns = Math.max(1, Math.floor((width + gap) / (MIN_WIDTH + gap)));
  const heights = new Array(columns).fill(0);
  items.forEach((item) => {
    const column = heights.indexOf(Math.min(...heights));
    item.style.left = `${column * (MIN_WIDTH + gap)}px`;
    item.style.top = `${heights[column]}px`;
    heights[column] += item.offsetHeight + gap;
  });
  return Math.max(...heights);
}

export function memoize(compute, size = 100) {
  const cache = new Map();
  return (key) => {
    if (cache.has(key)) {
      const value = cache.get(key);
      cache.delete(key);
      cache.set(key, value);
      return value;
    }
    const fresh = compute(key);
    cache.set(key, fresh);
    if (cache.size > size) cache.delete(cache.keys().next().value);
    return fresh;
  };
}

function validateForm(form, rules) {
  const problems = [];
  for (const [name, rule] of Object.entries(rules)) {
    const field = form.elements.namedItem(name);
    if (!field) {
      problems.push({ name, message: 'missing field' });
    } else if (rule.required && field.value.trim() === '') {
      problems.push({ name, message: rule.label + ' is required' });
    } else if (rule.pattern && !rule.pattern.test(field.value)) {
      problems.push({ name, message: rule.hint });
    }
  }
  return problems;
}

function formatBytes(count, digits) {
  if (!Number.isFinite(count) || count < 0) return 'unknown';
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  let power = 0;
  while (count >= 1000 && power < units.length - 1) {
    count /= 1000;
    power += 1;
  }
  return count.toFixed(power === 0 ? 0 : digits) + ' ' + units[power];
}

class_names.register('dialog', function openDialog(host, options) {
  const element = host.ownerDocument.createElement('dialog');
  element.className = options.className || 'modal';
  element.addEventListener('close', () => {
    host.removeChild(element);
    options.onClose?.(element.returnValue);
  });
  element.append(options.content);
  host.appendChild(element).showModal();
});

function shortestRoute(graph, from, to) {
  const distances = { [from]: 0 };
  const queue = [[from, 0]];
  while (queue.length > 0) {
    queue.sort(byCost);
    const [place, soFar] = queue.shift();
    if (place === to) return soFar;
    for (const { target, cost } of graph[place] ?? []) {
      const total = soFar + cost;
      if (!(target in distances) || total < distances[target]) {
        distances[target] = total;
        queue.push([target, total]);
      }
    }
  }
  return Infinity;
}

function readCsvLine(line, separator) {
  const cells = [''];
  let quoted = false;
  for (let i = 0; i < line.length; i++) {
    const character = line[i];
    if (character === '"') {
      if (quoted && line[i + 1] === '"') cells[cells.length - 1] += line[i++];
      else quoted = !quoted;
    } else if (character === separator && !quoted) {
      cells.push('');
    } else {
      cells[cells.length - 1] += character;
    }
  }
  return cells;
}

function subscribe(store, selector, listener) {
  let current = selector(store.getState());
  const unsubscribe = store.onChange(() => {
    const next = selector(store.getState());
    if (shallowEqual(current, next)) {
      return;
    }
    const old = current;
    current = next;
    listener(next, old);
  });
  store.debug && console.debug('subscribed', selector.name);
  return unsubscribe;
}
