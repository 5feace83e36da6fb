/**
 * The receiver kits: programs that merchants copy to receive our events. Each is one file and runs as it is. The reference
 * shows it, and the same bytes can be downloaded.
 */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { RequestHandler } from 'express'
import { html, type Markup } from '../pages/html.ts'
import { codeBlock, prose } from './prose.ts'

const CACHE_SECONDS = 300

export type Kit = {
  method: 'get'
  /** The address of the download. */
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

/** Sends the file as an attachment, so that a browser saves it and never shows or runs it. */
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

/** The topic about them. */
export const receiverKits = (): Markup => html`
  <p>${prose('Each kit is one file, to copy and fill in. It already checks the signature and its age, ignores duplicates and old news, answers quickly, and compares amount and currency. You write two functions. `findOrder` gets the payment and returns what you ask for it: your order’s amount, or your price for the product that the button sold. `onPaymentChanged` does what your shop does.')}</p>
  ${KITS.map(
    ({ path, file, label, needs, text }) => html`<details class="kit">
      <summary>${label}</summary>
      <p><a href=${path} download>${`Download ${file}`}</a>. It needs ${needs} or newer, and nothing else.</p>
      ${codeBlock(text, file)}
    </details>`,
  )}
  <p>${prose('Start your receiver, then ask whoever runs your payment service to verify it. They send it a good event, a forged one, a stale one, a changed one and a repeated one, and tell you what your receiver did with each.')}</p>
  <p>${prose('On a laptop that the service cannot reach, they can forward every new event to it, signed as always, and send missed events again.')} <a href="/docs/receiving-events">The guide on receiving events</a> has the steps.</p>`
