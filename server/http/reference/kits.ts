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
/** Where they are handed out. */
export const KITS_PATH = '/docs/kits'

type Kit = { file: string; label: string; needs: string; mediaType: string }

export const KITS: readonly Kit[] = [
  { file: 'kassa-receiver-node.mjs', label: 'Node', needs: 'Node 22.13', mediaType: 'text/javascript' },
  {
    ...{ file: 'kassa-receiver-express.mjs', label: 'Express' },
    ...{ needs: 'Node 22.13 and Express 4 or 5', mediaType: 'text/javascript' },
  },
  { file: 'kassa_receiver.py', label: 'Python', needs: 'Python 3.9', mediaType: 'text/x-python' },
  { file: 'kassa-receiver.php', label: 'PHP', needs: 'PHP 8.1', mediaType: 'text/x-php' },
]

const TEXTS = new Map(
  KITS.map(({ file }) => [file, readFileSync(new URL(`kits/${file}`, import.meta.url), 'utf8')]),
)

/** `GET /docs/kits/:file`, as an attachment: a browser saves it and never shows or runs it. */
export const serveKit: RequestHandler<{ file: string }> = (request, response, next) => {
  const kit = KITS.find(({ file }) => file === request.params.file)
  const text = kit && TEXTS.get(kit.file)
  if (!kit || text === undefined) return next()
  response.setHeader('Cache-Control', `public, max-age=${CACHE_SECONDS}`)
  response.setHeader('ETag', `"${createHash('sha256').update(text).digest('base64url')}"`)
  if (request.fresh) return void response.status(304).end()
  response.setHeader('Content-Type', `${kit.mediaType}; charset=utf-8`)
  response.setHeader('Content-Disposition', `attachment; filename="${kit.file}"`)
  response.end(text)
}

/** The guide's section about them. */
export const receiverKits = (): Markup => html`
  <p>${prose('One file each, to copy and fill in: the signature, the age, duplicates, late news, a quick answer and the match of amount, currency and order are done. You write `findOrder` and `onPaymentChanged`. Start one, then let Kassa try it: `npm run -s admin -- callback verify --merchant ID` sends a good event, a forged, a stale, a changed and a repeated one, and says what your receiver makes of each.')}</p>
  ${KITS.map(
    ({ file, label, needs }) => html`<details class="kit">
      <summary>${label}</summary>
      <p><a href=${`${KITS_PATH}/${file}`} download>${`Download ${file}`}</a>. It needs ${needs} or newer, and nothing else.</p>
      ${codeBlock(TEXTS.get(file) ?? '', file)}
    </details>`,
  )}
  <p>${prose('On a laptop, without an address that Kassa can reach: `npm run -s admin -- event listen --merchant ID --forward http://localhost:4000/kassa/callback` hands every new event on, signed as always. What was missed is sent again with `event replay`.')}</p>`
