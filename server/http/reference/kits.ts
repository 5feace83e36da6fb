/**
 * The receiver kits: what a merchant copies to take our events. Each is a file of its own, a program that runs as it
 * stands; it is shown on the reference page and handed out as it is.
 */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { RequestHandler } from 'express'
import { html, type Markup } from '../pages/html.ts'
import { codeBlock, prose } from './prose.ts'

const CACHE_SECONDS = 300

export type Kit = {
  method: 'get'
  /** Where it is handed out. */
  path: string
  file: string
  label: string
  needs: string
  mediaType: string
  text: string
}

function kit(file: string, { label, needs, mediaType }: Pick<Kit, 'label' | 'needs' | 'mediaType'>): Kit {
  const text = readFileSync(new URL(`kits/${file}`, import.meta.url), 'utf8')
  return { method: 'get', path: `/docs/kits/${file}`, file, label, needs, mediaType, text }
}

export const KITS: readonly Kit[] = [
  kit('kassa-receiver-node.mjs', { label: 'Node', needs: 'Node 22.13', mediaType: 'text/javascript' }),
  kit('kassa-receiver-express.mjs', {
    label: 'Express',
    needs: 'Node 22.13 and Express 4',
    mediaType: 'text/javascript',
  }),
  kit('kassa_receiver.py', { label: 'Python', needs: 'Python 3.9', mediaType: 'text/x-python' }),
  kit('kassa-receiver.php', { label: 'PHP', needs: 'PHP 8.1', mediaType: 'text/x-php' }),
]

/** Hands it out as an attachment: a browser saves it and never shows or runs it. */
export function serveKit({ file, mediaType, text }: Kit): RequestHandler {
  const etag = `"${createHash('sha256').update(text).digest('base64url')}"`
  return (request, response) => {
    response.setHeader('Cache-Control', `public, max-age=${CACHE_SECONDS}`)
    response.setHeader('ETag', etag)
    if (request.fresh) return void response.status(304).end()
    response.setHeader('Content-Type', `${mediaType}; charset=utf-8`)
    response.setHeader('Content-Disposition', `attachment; filename="${file}"`)
    response.end(text)
  }
}

/** The guide's section about them. */
export const receiverKits = (): Markup => html`
  <p>${prose('One file each, to copy and fill in: the signature, the age, duplicates, late news, a quick answer and the match of amount and currency are done. You write `findOrder`, which gets the payment and answers what you ask for it (your order’s amount, or your price for the product that the button sold), and `onPaymentChanged`. Start one, then let Kassa try it: `npm run -s admin -- callback verify --merchant ID` sends a good event, a forged, a stale, a changed and a repeated one, and says what your receiver makes of each.')}</p>
  ${KITS.map(
    ({ path, file, label, needs, text }) => html`<details class="kit">
      <summary>${label}</summary>
      <p><a href=${path} download>${`Download ${file}`}</a>. It needs ${needs} or newer, and nothing else.</p>
      ${codeBlock(text, file)}
    </details>`,
  )}
  <p>${prose('On a laptop, without an address that Kassa can reach: `npm run -s admin -- event listen --merchant ID --forward http://127.0.0.1:4000/kassa/callback` hands every new event on, signed as always. What was missed is sent again with `event replay`.')}</p>`
