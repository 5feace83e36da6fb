/** The shop's language and its sentences. The pages contain the English text too, which shows until this has loaded. */
import { EN } from './words-en.js'
import { HY } from './words-hy.js'
import { RU } from './words-ru.js'

const WORDS = { hy: HY, ru: RU, en: EN }
const STORAGE_KEY = 'urts-language'

export const language = chooseLanguage()

/** Returns a sentence, with each `{name}` in it replaced by a value, as text. */
export function say(key, values = {}) {
  const text = WORDS[language][key] ?? EN[key] ?? key
  return text.replaceAll(/\{(\w+)\}/g, (hole, name) => values[name] ?? hole)
}

export function has(key) {
  return Object.hasOwn(EN, key)
}

/** Returns the language in the address, else the buyer's last choice, else the browser's language. */
function chooseLanguage() {
  const asked = new URLSearchParams(location.search).get('lang')
  const known = (each) => Object.hasOwn(WORDS, each ?? '')
  if (known(asked)) storeLanguage(asked)
  const spoken = navigator.languages.map((tag) => tag.split('-')[0])
  return [asked, storedLanguage(), ...spoken].find(known) ?? 'en'
}

// A browser may forbid storage. Then the choice applies to one page only.
function storedLanguage() {
  try {
    return localStorage.getItem(STORAGE_KEY)
  } catch {
    return null
  }
}

function storeLanguage(choice) {
  try {
    localStorage.setItem(STORAGE_KEY, choice)
  } catch {}
}

/** Translates the page. The links to the other languages keep the rest of the address. */
export function translatePage() {
  document.documentElement.lang = language
  for (const node of document.querySelectorAll('[data-words]')) node.textContent = say(node.dataset.words)
  for (const node of document.querySelectorAll('[data-words-label]'))
    node.setAttribute('aria-label', say(node.dataset.wordsLabel))
  for (const node of document.querySelectorAll('[data-words-alt]')) node.alt = say(node.dataset.wordsAlt)
  for (const link of document.querySelectorAll('.languages a')) {
    const query = new URLSearchParams(location.search)
    query.set('lang', link.hreflang)
    link.href = `?${query}`
    if (link.hreflang === language) link.setAttribute('aria-current', 'true')
  }
}
