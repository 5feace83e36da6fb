/** The document at /openapi.json: written and compressed once, and readable from every origin, because it holds no secret. */
import type { RequestHandler } from 'express'
import type { Context } from '../../context.ts'
import { callerOf } from '../caller.ts'
import { type Packed, pack, sendPacked } from '../docs/packed.ts'
import { takePermits } from '../rate-limit.ts'
import { openApiDocument } from './document.ts'

export function serveOpenApi(ctx: Context): RequestHandler {
  let packed: Packed | null = null
  return async (request, response) => {
    response.setHeader('Access-Control-Allow-Origin', '*')
    response.setHeader('Cross-Origin-Resource-Policy', 'cross-origin')
    await takePermits(ctx, response, 'page', callerOf(request))
    packed ??= pack(`${JSON.stringify(openApiDocument(ctx.baseUrl), null, 2)}\n`)
    await sendPacked(request, response, packed, { type: 'json' })
  }
}
