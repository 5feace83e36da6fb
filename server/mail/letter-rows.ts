/** The rows of a mail: a label and a value. What does not fit beside its label on a small phone stands below it. */
import { html, type Markup } from '../pages/html.ts'
import { webAddress } from '../pages/web-address.ts'
import { LIGHT } from './letter-colours.ts'

/** Label and value together. A phone of 360 px has room for so many in each of our scripts. */
const BESIDE_MAX_CHARS = 26
/** A mail program breaks a line after any hyphen, and half a flag cannot be read. */
const FLAG = /^--?[a-z][a-z-]*$/

/** `ink`: of a link. */
export function rowTable(rows: [string, string][], ink: string): Markup {
  const cell = `padding: 7px 0; border-bottom: 1px solid ${LIGHT.line}; vertical-align: top`
  const label = `color: ${LIGHT.soft}; font-size: 14px`
  return html`<table role="presentation" style="width: 100%; margin: 0 0 16px; border-collapse: collapse">
    ${rows.map(([name, value]) =>
      name.length + value.length > BESIDE_MAX_CHARS
        ? html`<tr>
            <td class="cell" colspan="2" style=${`${cell}; overflow-wrap: anywhere; word-break: break-word`}><span class="soft" style=${label}>${name}</span><br />${shown(value, ink)}</td>
          </tr>`
        : html`<tr>
            <td class="cell soft" style=${`${cell}; padding-right: 16px; ${label}; line-height: 24px`}>${name}</td>
            <td class="cell" style=${`${cell}; text-align: right; white-space: nowrap`}>${shown(value, ink)}</td>
          </tr>`,
    )}
  </table>`
}

function shown(value: string, ink: string): Markup | string {
  const address = webAddress(value)
  if (address) return html`<a class="link" href=${address} style=${`color: ${ink}`}>${value}</a>`
  if (!value.split(' ').some((word) => FLAG.test(word))) return value
  const words = value.split(' ').map((word, at) => {
    const space = at === 0 ? '' : ' '
    return FLAG.test(word)
      ? html`${space}<span style="white-space: nowrap">${word}</span>`
      : `${space}${word}`
  })
  return html`${words}`
}
