/**
 * A mail as text and as HTML. Mail programs ignore style sheets and scripts, so every element has its own style.
 * Rule: the text contains everything that the HTML contains.
 */
import { Fragment, h } from 'preact'
import { renderToString } from 'preact-render-to-string'
import type { Brand, ShownPicture } from '../pages/brand/brand.ts'
import { brandColours } from '../pages/brand/style.ts'
import { html, type Markup } from '../pages/html.ts'
import { webAddress } from '../pages/web-address.ts'
import type { Locale } from '../pages/words/locale.ts'

export type Letter = {
  locale: Locale
  /** The notice above a mail of the sandbox. */
  test: string | null
  title: string
  text: string
  /** Groups of a label and a value. */
  facts: [label: string, value: string][][]
  way: { label: string; address: string } | null
  contactTitle: string
  contact: string[]
  why: string
  /** The logo has an absolute address. */
  brand: Pick<Brand, 'name' | 'logo' | 'colour'>
}

const INK = '#2b2420'
const SOFT = '#6b5f57'
const LINE = '#e4d9cf'
const ACCENT = '#8c2f1b'
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
  const { fill, on } = colour ? brandColours(colour, 'light') : { fill: ACCENT, on: '#ffffff' }
  const document = html`<html lang=${locale}>
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta name="color-scheme" content="light" />
      <title>${title}</title>
    </head>
    <body style=${`margin: 0; padding: 24px 12px; background: #f5eee8; color: ${INK}; ${FONT}; font-size: 16px; line-height: 1.5`}>
      <div style=${`max-width: 32rem; margin: 0 auto; padding: 24px; background: #ffffff; border-top: 4px solid ${fill}; border-radius: 8px`}>
        ${test ? html`<p style="margin: 0 0 16px; padding: 8px 12px; background: #fff3c4; border-radius: 4px">${test}</p>` : null}
        ${logo ? logoLine(logo, name) : null}
        <h1 style="margin: 0 0 8px; font-size: 22px; line-height: 1.3">${title}</h1>
        <p style="margin: 0 0 16px">${text}</p>
        ${facts.filter((rows) => rows.length > 0).map(factTable)}
        ${way ? html`<p style="margin: 24px 0"><a href=${way.address} style=${`display: inline-block; padding: 12px 20px; border-radius: 6px; background: ${fill}; color: ${on}; text-decoration: none; font-weight: 600`}>${way.label}</a></p>` : null}
        ${contact.length > 0 ? html`<p style="margin: 0 0 16px">${contactTitle}${contact.map((each) => html`<br />${each}`)}</p>` : null}
        <p style=${`margin: 0; color: ${SOFT}; font-size: 13px`}>${why}</p>
      </div>
    </body>
  </html>`
  return `<!doctype html>${renderToString(h(Fragment, null, document))}`
}

const LOGO_MAX = { width: 160, height: 64 }

/**
 * Many mail programs load no pictures, or only when asked. So the name is text below the logo. A missing picture that is inline and has
 * no text, and no size or padding in its style, leaves no gap and no frame. Outlook reads only the size in the attributes.
 */
function logoLine({ address, width, height, ground }: ShownPicture, name: string): Markup {
  const scale = Math.min(1, LOGO_MAX.width / width, LOGO_MAX.height / height)
  const [shownWidth, shownHeight] = [width, height].map((each) => Math.max(1, Math.round(each * scale)))
  const { width: most, height: highest } = LOGO_MAX
  const style = `width: auto; height: auto; max-width: ${most}px; max-height: ${highest}px; background: ${ground === 'dark' ? INK : '#ffffff'}`
  return html`<div style="line-height: 0"><img src=${address} alt="" width=${shownWidth} height=${shownHeight} style=${style} /></div>
    <p style="margin: 8px 0 16px; font-size: 18px; font-weight: 600">${name}</p>`
}

function factTable(rows: [string, string][]): Markup {
  const cell = `padding: 6px 0; border-bottom: 1px solid ${LINE}; vertical-align: top`
  return html`<table role="presentation" style="width: 100%; margin: 0 0 16px; border-collapse: collapse">
    ${rows.map(([label, value]) => {
      const address = webAddress(value)
      return html`<tr>
        <td style=${`${cell}; padding-right: 16px; color: ${SOFT}`}>${label}</td>
        <td style=${`${cell}; text-align: right; overflow-wrap: anywhere`}>${address ? html`<a href=${address}>${value}</a>` : value}</td>
      </tr>`
    })}
  </table>`
}
