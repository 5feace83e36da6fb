/** The screens of the order book. */
import { listOrdersOf, listToPack } from '../../operator/orders/orders.ts'
import type { ConsolePage } from '../page.ts'
import { backTo } from '../page-parts.ts'
import { say } from '../words/say.ts'
import { shopOf } from '../world.ts'
import { orders } from './list.ts'
import { ORDER_SCREENS, printPage } from './order.ts'

const PRINT_MAX = 200

/** With a day its list, else the slip of each order to pack. */
const print: ConsolePage = {
  method: 'get',
  path: '/:world/shops/:merchant/orders-print',
  needs: 'order list',
  async handle(visit) {
    const { locale, query } = visit
    const view = await shopOf(visit)
    const { ctx, merchantId } = view
    const day =
      /^\d{4}-\d\d-\d\d$/.test(query.day ?? '') && !Number.isNaN(Date.parse(query.day ?? ''))
        ? query.day
        : undefined
    const slips = await (day === undefined
      ? listToPack(ctx, { merchantId, limit: PRINT_MAX })
      : listOrdersOf(ctx, { merchantId, day, limit: PRINT_MAX }))
    const title = day === undefined ? say(locale, 'printSlipsTitle') : say(locale, 'printDayTitle', { day })
    const back = backTo(`${view.path}/orders`, say(locale, 'ordersTitle'))
    const body = printPage(visit, { title, slips, back, isList: day !== undefined }, view)
    return { kind: 'screen', title, body }
  },
}

export const ORDER_PAGES: readonly ConsolePage[] = [orders, print, ...ORDER_SCREENS]
