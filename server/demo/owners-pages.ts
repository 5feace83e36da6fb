/** The pages that the owner of the demo shop uses. A real owner gets the addresses of the order book by mail. */
import type { Request, Router } from 'express'
import type { Context } from '../context.ts'
import { dayIn, linkTo } from '../operator/orders/orders.ts'
import { DEMO_PRODUCT, type DemoCredentials } from './seed.ts'

type Shop = { ctx: Context; demo: DemoCredentials }

/** Adds the addresses that the demo shop's page links to. Each redirects to the real page, in the language of the link. */
export function showOwnersPages(router: Router, shop: Shop): void {
  const installUrl = `/install/${shop.demo.publicKey}`
  const ordersUrl = todaysOrders(shop)
  router.get('/install', (request, response) => response.redirect(inLanguage(request, installUrl)))
  router.get('/poster', (request, response) =>
    response.redirect(inLanguage(request, `${installUrl}/poster`, { product: DEMO_PRODUCT.id })),
  )
  router.get('/orders', async (request, response) =>
    response.redirect(inLanguage(request, await ordersUrl())),
  )
}

function inLanguage({ query }: Request, path: string, params: Record<string, string> = {}): string {
  const locale = typeof query.locale === 'string' ? { locale: query.locale } : {}
  return `${path}?${new URLSearchParams({ ...params, ...locale })}`
}

/** Returns the path of today's orders. It creates one link a day, so that visitors cannot fill the database with links. */
function todaysOrders({ ctx, demo }: Shop): () => Promise<string> {
  let link = { day: '', path: '' }
  return async () => {
    const day = await dayIn(ctx, demo.merchantId, ctx.clock.now())
    if (day !== link.day) {
      const { pathname } = new URL(await linkTo(ctx, demo.merchantId, { text: undefined, day }))
      link = { day, path: pathname }
    }
    return link.path
  }
}
