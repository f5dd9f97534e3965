'use strict';
// Filters and moves between the cards. The page can be read without it.
const cards = Array.from(document.querySelectorAll('.card'));
const form = document.querySelector('form');
const count = document.querySelector('output');
const search = form.elements.path;
let at = -1;

const shown = () => cards.filter(card => !card.hidden);

function filter() {
  const words = search.value.toLowerCase().split(/\s+/).filter(word => word.length > 0);
  const selects = Array.from(form.querySelectorAll('select')).filter(select => select.value !== '');
  for (const card of cards) {
    // Each path is a line; one in the list begins with a slash, so that `/src` is found at the root alone.
    const text = '\n/' + card.dataset.path.toLowerCase().replaceAll('\n', '\n/');
    const isWanted = words.every(word => text.includes(word.startsWith('/') ? '\n' + word : word));
    const isChosen = selects.every(select => card.dataset[select.name] === select.value);
    card.hidden = !(isWanted ? isChosen : false);
  }
  const n = shown().length;
  count.textContent = n === cards.length ? `${n} in all` : `${n} of ${cards.length}`;
  at = -1;
}

function go(step) {
  const list = shown();
  if (list.length === 0) return;
  const here = list.indexOf(document.activeElement.closest('.card'));
  at = Math.min(Math.max((here >= 0 ? here : at) + step, 0), list.length - 1);
  list[at].querySelector('summary').focus();
  list[at].scrollIntoView({ block: 'start' });
}

function openAll(isOpen) {
  for (const card of shown()) card.open = isOpen;
}

const keys = {
  j: () => go(1),
  k: () => go(-1),
  o: () => { const card = document.activeElement.closest('.card'); if (card) card.open = !card.open; },
  e: () => openAll(true),
  c: () => openAll(false),
  '/': () => search.focus(),
};

document.addEventListener('keydown', event => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === 'Escape') { document.activeElement.blur(); return; }
  if (event.target.closest('input, select')) return;
  const act = keys[event.key];
  if (act) { event.preventDefault(); act(); }
});

// A link to a card opens it.
function follow() {
  const card = document.getElementById(location.hash.slice(1));
  if (card instanceof HTMLDetailsElement) { card.hidden = false; card.open = true; card.scrollIntoView(); }
}

// A file, a folder or a component filters the list by its name. A name with blanks is words, all of which must occur.
document.addEventListener('click', event => {
  const link = event.target.closest('[data-filter]');
  if (!link || event.ctrlKey || event.metaKey) return;
  if (link.dataset.filter === '') return;
  event.preventDefault();
  search.value = link.dataset.filter;
  filter();
  document.getElementById('list').scrollIntoView();
  const first = shown()[0];
  if (first) { first.open = true; first.querySelector('summary').focus({ preventScroll: true }); }
});

// The cells of a drawing are one stop of the Tab key; arrow keys move between them.
for (const drawing of document.querySelectorAll('.treemap > svg')) {
  const cells = Array.from(drawing.querySelectorAll('a'));
  cells.forEach((cell, n) => cell.setAttribute('tabindex', n === 0 ? '0' : '-1'));
  drawing.addEventListener('keydown', event => {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    const next = step ? cells[cells.indexOf(event.target) + step] : undefined;
    if (!next) return;
    event.preventDefault();
    event.target.setAttribute('tabindex', '-1');
    next.setAttribute('tabindex', '0');
    next.focus();
  });
}

form.addEventListener('input', filter);
form.addEventListener('submit', event => event.preventDefault());
addEventListener('hashchange', follow);
form.hidden = false;
document.querySelector('.keys').hidden = false;
filter();
follow();
