/**
 * Serves the gallery on a free port of this machine, with the real headers, style sheets and scripts of the pages. For browser
 * tests, and for people: node server/testing/gallery-main.ts
 */
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import express from 'express'
import { negotiateLocale } from '../http/pages/words/locale.ts'
import { installHeaders, pageHeaders } from '../http/security-headers.ts'
import { publicFiles } from '../http/static-files.ts'
import { VERSION } from '../version.ts'
import { GALLERY, GALLERY_TEXTS } from './page-gallery.ts'

const app = express()
app.use(
  '/widget/v1',
  express.static(fileURLToPath(new URL(`../../.dist/widget/${VERSION}`, import.meta.url))),
)
app.use(
  pageHeaders(() => 'sandbox'),
  publicFiles(),
)
app.use(/^\/gallery\/install[^/]*$/, installHeaders('http://127.0.0.1'))
app.get('/gallery', (_request, response) => void response.json(Object.keys(GALLERY)))
app.get('/gallery/:name', (request, response) => {
  const show = GALLERY[request.params.name]
  const locale = negotiateLocale(undefined, String(request.query.locale))
  if (show) response.type('html').send(show(locale, GALLERY_TEXTS))
  else response.sendStatus(404)
})
const server = app.listen(0, '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`)
})
// The process that started this one has ended.
process.stdin.on('end', () => process.exit(0)).resume()
