import { encode } from 'uqr'
import { translate } from '../messages/translate.ts'
import { html, type Markup } from './html.ts'
import type { Locale } from './words/locale.ts'

/** Modules of white that a scanner needs around the code (ISO/IEC 18004). */
const QUIET_ZONE = 4

/** `side`: in modules, with the white around the code. `path`: the dark modules, each one unit wide. */
export type DrawnCode = { side: number; path: string }

/** How many codes are kept in memory, because drawing one takes several milliseconds, and anybody can ask for the same page again. */
const REMEMBERED_MAX = 500
const remembered = new Map<string, DrawnCode>()

/** Draws a code, or returns what was drawn for the same key before. */
function remember(key: string, draw: () => DrawnCode): DrawnCode {
  const drawn = remembered.get(key) ?? draw()
  remembered.delete(key)
  remembered.set(key, drawn)
  const [oldest] = remembered.keys()
  if (remembered.size > REMEMBERED_MAX && oldest !== undefined) remembered.delete(oldest)
  return drawn
}

/** An address as a QR code. It is black on white in dark mode too, because scanners expect that. */
export function qrCode(address: string, title: string): Markup {
  return codeFigure(
    remember(`M ${address}`, () => plainCode(address)),
    title,
  )
}

/** The same for a secret, which is not kept. */
export const secretCode = (secret: string, title: string): Markup => codeFigure(plainCode(secret), title)

const plainCode = (address: string): DrawnCode => drawCode(encode(address, { ecc: 'M', border: 0 }))

/** For paper: as few modules as possible, so that each is large, and then as much correction of errors as fits. */
export const addressCode = (address: string): DrawnCode =>
  remember(`L ${address}`, () => drawCode(encode(address, { ecc: 'L', boostEcc: true, border: 0 })))

export function codeFigure({ side, path }: DrawnCode, title: string): Markup {
  return html`<svg class="qr-code" role="img" viewBox=${`${-QUIET_ZONE} ${-QUIET_ZONE} ${side} ${side}`} shape-rendering="crispEdges">
    <title>${title}</title>
    <rect x=${-QUIET_ZONE} y=${-QUIET_ZONE} width=${side} height=${side} fill="#ffffff" />
    <path d=${path} fill="#000000" />
  </svg>`
}

const drawCode = ({ data, size }: { data: boolean[][]; size: number }): DrawnCode => ({
  side: size + 2 * QUIET_ZONE,
  path: data.map(rowPath).join(''),
})

/** Draws the dark modules of one row, each run of them as one rectangle. */
function rowPath(row: boolean[], y: number): string {
  const line = row.map((isDark) => (isDark ? '1' : '0')).join('')
  return [...line.matchAll(/1+/g)]
    .map(({ index, 0: run }) => `M${index} ${y}h${run.length}v1h-${run.length}z`)
    .join('')
}

/** The QR code of a page, for continuing on a phone. */
export function qrFigure(address: string, locale: Locale): Markup {
  return html`<figure class="qr" data-testid="qr">
    ${qrCode(address, translate(locale, 'pages.qrTitle'))}
    <figcaption class="note">${translate(locale, 'pages.qrText')}</figcaption>
  </figure>`
}
