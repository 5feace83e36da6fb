/** Puts texts, amounts and times on the shop's pages. */
import { language } from './words.js'

const MINOR_UNITS = 100
/** Some browsers have no Armenian formats. Russian writes these numbers and times the same way: 1 900 ֏, 15:44:47. */
const FORMATS = [language, 'ru']

export function fill(list, facts) {
  const rows = facts.map(([name, value]) => {
    const row = element('div', '')
    row.append(element('dt', name), element('dd', value))
    return row
  })
  list.replaceChildren(...rows)
}

export function element(name, text) {
  const made = document.createElement(name)
  made.textContent = text ?? ''
  return made
}

/** Writes only a real change. Otherwise a screen reader would repeat the sentence after every look-up. */
export function setText(node, text) {
  if (node.textContent !== text) node.textContent = text
}

export function amountText(amountMinor, currency) {
  if (!Number.isSafeInteger(amountMinor)) return '?'
  const isWholeDram = currency === 'AMD' && amountMinor % MINOR_UNITS === 0
  const style = { style: 'currency', currency, currencyDisplay: 'narrowSymbol', useGrouping: 'always' }
  const decimals = isWholeDram ? 0 : 2
  const format = { ...style, minimumFractionDigits: decimals, maximumFractionDigits: decimals }
  return new Intl.NumberFormat(FORMATS, format).format(amountMinor / MINOR_UNITS)
}

export function timeText(iso) {
  const time = new Date(iso)
  return Number.isNaN(time.getTime()) ? '?' : time.toLocaleTimeString(FORMATS, { hourCycle: 'h23' })
}
