/** Short addresses: what buyers type from a poster. They lead only to our own pay pages. */
import type { World } from '../../contract/health.ts'
import { cost } from '../../limits/cost.ts'
import { findAddressTarget } from '../../merchants/address.ts'
import type { PageEndpoint } from '../page-endpoint.ts'

/** A stranger gets the same page for a name that never existed, one that waits and one that was retired. */
const shortAddress = (world: World, path: string): PageEndpoint => ({
  world,
  method: 'get',
  path,
  stranger: { body: 0, once: cost(1), flood: cost(1) },
  async handle(ctx, { params, chosenLocale }) {
    const target = await findAddressTarget(ctx, params.name ?? '')
    if (!target) return { kind: 'message', message: 'no_address', status: 404 }
    const path = [target.publicKey, target.productId].map(encodeURIComponent).join('/')
    return { kind: 'redirect', url: `/pay/${path}${chosenLocale}`, status: 302 }
  },
})

export const SHORT_ADDRESSES: readonly PageEndpoint[] = [
  shortAddress('sandbox', '/p/test/:name'),
  shortAddress('live', '/p/:name'),
]
