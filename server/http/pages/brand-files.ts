/** Serves the files of brands: style sheets by their colour, and pictures by the digest of their bytes. */
import express, { type RequestHandler } from 'express'
import type { Context } from '../../context.ts'
import { findPicture } from '../../merchants/branding.ts'
import { brandSheet } from '../../pages/brand/style.ts'
import { callerOf } from '../caller.ts'
import { takePermits } from '../rate-limit.ts'

const FOR_A_DAY = 'public, max-age=86400'
const FOR_EVER = 'public, max-age=31536000, immutable'
const ENDINGS = { 'image/png': 'png', 'image/webp': 'webp' } as const

export function brandFiles(ctx: Context): RequestHandler {
  const router = express.Router({ caseSensitive: true, strict: true })
  router.get('/brand/:file', (request, response, next) => {
    const digits = /^([0-9a-f]{6})\.css$/.exec(request.params.file)?.[1]
    if (!digits) return next()
    response.setHeader('Cache-Control', FOR_A_DAY)
    response.type('css').send(brandSheet(`#${digits}`))
  })
  router.get('/pictures/:file', async (request, response, next) => {
    const [id = '', ending] = request.params.file.split('.')
    await takePermits(ctx, response, 'page', callerOf(request))
    const picture = await findPicture(ctx, id)
    if (!picture || ENDINGS[picture.type] !== ending) return next()
    response.setHeader('Cache-Control', FOR_EVER)
    response.setHeader('Content-Type', picture.type)
    // Webmail shows a mail's logo on a page of another site.
    response.setHeader('Cross-Origin-Resource-Policy', 'cross-origin')
    response.send(picture.bytes)
  })
  return router
}
