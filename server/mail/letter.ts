/**
 * A mail as text and as HTML. Most mail programs ignore style sheets, and all ignore scripts, so every element has its own style.
 * Rule: the text contains everything that the HTML contains.
 */
import { Fragment, h } from 'preact'
import { renderToString } from 'preact-render-to-string'
import type { Brand, ShownPicture } from '../pages/brand/brand.ts'
import { html, type Markup } from '../pages/html.ts'
import { webAddress } from '../pages/web-address.ts'
import type { Locale } from '../pages/words/locale.ts'
import { darkRules, type LetterColours, LIGHT, letterColours, RIBBON } from './letter-colours.ts'

export type Letter = {
  locale: Locale
  /** The notice above a mail of the sandbox. */
  test: string | null
  title: string
  text: string
  /** Groups of a label and a value. */
  facts: [label: string, value: string][][]
  way: { label: string; address: string } | null
  /** Where the reader needs the facts before the way. Elsewhere the button comes first, so that a phone shows it at once. */
  isWayLast?: true
  contactTitle: string
  contact: string[]
  why: string
  /** The logo has an absolute address. */
  brand: Pick<Brand, 'name' | 'logo' | 'colour'>
}

const FONT = "font-family: system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans Armenian', sans-serif"

export function textOf({ test, title, text, facts, way, contact, contactTitle, why, brand }: Letter): string {
  const groups = facts.map((rows) =>
    rows.map(([label, value]) => `${label}: ${value}`.replaceAll(/\s+/g, ' ')).join('\n'),
  )
  const parts = [
    test,
    brand.logo && brand.name,
    title,
    text,
    ...groups,
    way && `${way.label}:\n${way.address}`,
    contact.length > 0 ? [contactTitle, ...contact].join('\n') : null,
    why,
  ]
  return `${parts.filter(Boolean).join('\n\n')}\n`
}

export function htmlOf(letter: Letter): string {
  const { locale, test, title, text, facts, way, contact, contactTitle, why, brand } = letter
  const { logo, name, colour } = brand
  const colours = letterColours(colour, 'light')
  const button = way && buttonOf(way, colours)
  const rows = facts.filter((each) => each.length > 0).map((each) => rowTable(each, colours.ink))
  const document = html`<html lang=${locale}>
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta name="color-scheme" content="light dark" />
      <meta name="supported-color-schemes" content="light dark" />
      <title>${title}</title>
      <style>${darkRules(colour)}</style>
    </head>
    <body class="ground" style=${`margin: 0; padding: 16px 8px; background: ${LIGHT.ground}; color: ${LIGHT.ink}; ${FONT}; font-size: 16px; line-height: 1.5`}>
      <div class="paper" style=${`max-width: 32rem; margin: 0 auto; padding: 20px; background: ${LIGHT.paper}; color: ${LIGHT.ink}; border-top: 4px solid ${colours.fill}; border-radius: 8px`}>
        ${test ? html`<p style=${`margin: 0 0 16px; padding: 8px 12px; background: ${RIBBON.ground}; color: ${RIBBON.ink}; border-radius: 4px`}>${test}</p>` : null}
        ${logo ? logoLine(logo, name) : null}
        <h1 style="margin: 0 0 8px; font-size: 22px; line-height: 1.3; overflow-wrap: break-word">${title}</h1>
        <p style="margin: 0 0 16px">${text}</p>
        ${letter.isWayLast ? [rows, button] : [button, rows]}
        ${contact.length > 0 ? html`<p style="margin: 0 0 16px">${contactTitle}${contact.map((each) => html`<br />${each}`)}</p>` : null}
        <p class="soft" style=${`margin: 0; color: ${LIGHT.soft}; font-size: 13px`}>${why}</p>
      </div>
    </body>
  </html>`
  return `<!doctype html>${renderToString(h(Fragment, null, document))}`
}

function buttonOf({ label, address }: NonNullable<Letter['way']>, { fill, on, edge }: LetterColours): Markup {
  const style = `display: inline-block; padding: 11px 20px; border: 1px solid ${edge}; border-radius: 6px; background: ${fill}; color: ${on}; text-decoration: none; font-weight: 600`
  return html`<p style="margin: 20px 0"><a class="button" href=${address} style=${style}>${label}</a></p>`
}

/** The same colours as --logo-light and --logo-dark of the pages. */
const LOGO_GROUNDS = { light: '#ffffff', dark: '#1d1d1d' } as const
const LOGO_MAX = { width: 160, height: 64 }

/**
 * Many mail programs load no pictures, or only when asked. So the name is text below the logo. A missing picture that is inline and has
 * no text, and no size or padding in its style, leaves no gap and no frame. Outlook reads only the size in the attributes.
 */
function logoLine({ address, width, height, ground }: ShownPicture, name: string): Markup {
  const scale = Math.min(1, LOGO_MAX.width / width, LOGO_MAX.height / height)
  const [shownWidth, shownHeight] = [width, height].map((each) => Math.max(1, Math.round(each * scale)))
  const { width: widest, height: highest } = LOGO_MAX
  const style = `width: auto; height: auto; max-width: ${widest}px; max-height: ${highest}px; border-radius: 8px; background: ${LOGO_GROUNDS[ground]}`
  return html`<div style="line-height: 0"><img src=${address} alt="" width=${shownWidth} height=${shownHeight} style=${style} /></div>
    <p style="margin: 8px 0 16px; font-size: 18px; font-weight: 600">${name}</p>`
}

/** Label and value together. A phone of 360 px has room for so many in each of our scripts. */
const BESIDE_MAX_CHARS = 26
/** A mail program breaks a line after any hyphen, and half a flag cannot be read. */
const FLAG = /^--?[a-z][a-z-]*$/

/** Rows of a label and a value. A value that does not fit beside its label on a small phone stands below it. `ink`: of a link. */
function rowTable(rows: [string, string][], ink: string): Markup {
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
