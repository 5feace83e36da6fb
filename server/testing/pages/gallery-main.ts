/**
 * Serves the gallery on a free port of this machine, with the real headers, style sheets and scripts of the pages. For browser
 * tests, and for people: npx node server/testing/pages/gallery-main.ts
 */
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import express from 'express'
import sharp from 'sharp'
import { installHeaders, pageHeaders } from '../../http/security-headers.ts'
import { publicFiles } from '../../http/static-files.ts'
import { brandSheet } from '../../pages/brand/style.ts'
import { LOCALES, negotiateLocale } from '../../pages/words/locale.ts'
import { VERSION } from '../../version.ts'
import { GALLERY_TEXTS } from './gallery-facts.ts'
import { GALLERY } from './page-gallery.ts'

const app = express()
app.use(
  '/widget/v1',
  express.static(fileURLToPath(new URL(`../../../.dist/widget/${VERSION}`, import.meta.url))),
)
app.use(
  pageHeaders(() => 'sandbox'),
  publicFiles(),
)
app.use(/^\/gallery\/install[^/]*$/, installHeaders('http://127.0.0.1'))
app.get('/brand/:file', (request, response) => {
  response.type('css').send(brandSheet(`#${request.params.file.slice(0, 6)}`))
})
const ring = Buffer.from(
  '<svg width="512" height="200"><circle cx="100" cy="100" r="80" fill="none" stroke="#c2185b" stroke-width="30"/><rect x="220" y="70" width="270" height="60" fill="#333"/></svg>',
)
const picture = await sharp(ring).png().toBuffer()
const hills = Buffer.from(
  '<svg width="1000" height="600"><rect width="1000" height="600" fill="#cfe3d4"/><path d="M0 600L300 200L520 450L700 260L1000 600z" fill="#4d7c5a"/></svg>',
)
const photo = await sharp(hills).webp().toBuffer()
app.get('/pictures/:file', (request, response) =>
  request.params.file === 'tea.webp' ? response.type('webp').send(photo) : response.type('png').send(picture),
)
app.get(
  '/gallery',
  (_request, response) => void response.json({ names: Object.keys(GALLERY), locales: LOCALES }),
)
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
