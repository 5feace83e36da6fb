/**
 * The addresses of links into the order book. A link alone shows one order, the orders of one day, or those of one mail, with the texts
 * of the buyers. So the page is not stored, not indexed, and sends no referrer to other sites.
 */

import type { Context } from '../../context.ts'
import type { CurrencyCode } from '../../contract/fields.ts'
import { shortNumber } from '../../id.ts'
import { cost } from '../../limits/cost.ts'
import { findTestPayment } from '../../merchants/onboarding.ts'
import { translate } from '../../messages/translate.ts'
import { confirmTest } from '../../operator/orders/book.ts'
import { findOrderById, listMailContents, listOrdersOf, showOrder } from '../../operator/orders/orders.ts'
import { findLink } from '../../orders/link.ts'
import { findBrand } from '../brand/brand.ts'
import type { PageEndpoint, Shown, Visit } from '../page-endpoint.ts'
import { formatAmount, formatMoment } from '../words/locale.ts'
import { listPage, type OrderView, orderPage, testedPage, testPage } from './order-page.ts'
import type { Row } from './order-rows.ts'

const LIST_MAX = 500
const STRANGER = { body: 0, once: cost(1), flood: cost(1) }

export const orderLink: PageEndpoint = {
  method: 'get',
  path: '/o/:secret',
  stranger: STRANGER,
  async handle(ctx, visit) {
    const link = await findLink(ctx, visit.params.secret ?? '')
    if (!link) return { kind: 'not_found' }
    const { merchantId, orderId, day, mailId } = link
    const view = await viewFor(ctx, merchantId, visit)
    if (orderId !== null) {
      const order = await findOrderById(ctx, merchantId, orderId)
      return order ? shown(orderPage(view, await showOrder(ctx, order))) : { kind: 'not_found' }
    }
    if (day === null)
      return shown(testPage(view, { test: await testRows(ctx, merchantId, view), path: visit.path }))
    const title = translate(view.locale, mailId ? 'orders.listMailTitle' : 'orders.listTitle', {
      day: dayText(day, view),
    })
    const limit = LIST_MAX + 1
    const { orders, cases } = mailId
      ? await listMailContents(ctx, { merchantId, mailId, limit })
      : { orders: await listOrdersOf(ctx, { merchantId, day, limit }), cases: [] }
    const isCut = orders.length > LIST_MAX || cases.length > LIST_MAX
    const list = { orders: orders.slice(0, LIST_MAX), cases: cases.slice(0, LIST_MAX) }
    return shown(listPage(view, { title, ...list, isCut }))
  },
}

/** A link scanner opens addresses, but it presses no button. */
export const orderLinkSeen: PageEndpoint = {
  method: 'post',
  path: '/o/:secret',
  stranger: { ...STRANGER, body: 4_096 },
  async handle(ctx, visit) {
    const link = await findLink(ctx, visit.params.secret ?? '')
    if (!link || link.orderId !== null || link.day !== null) return { kind: 'not_found' }
    const { merchantId } = link
    const isSeen = visit.form.seen === 'yes' && (await confirmTest(ctx, merchantId, { inConsole: false }))
    if (!isSeen) return { kind: 'redirect', url: visit.path }
    return shown(testedPage(await viewFor(ctx, merchantId, visit)))
  },
}

const shown = (page: string): Shown => ({ kind: 'page', html: page })

async function viewFor(ctx: Context, merchantId: string, { locale, localeLinks }: Visit): Promise<OrderView> {
  return { locale, localeLinks, mode: ctx.world, brand: await findBrand(ctx, merchantId, locale) }
}

/** The test payment was made in the sandbox, whichever world asks. */
async function testRows(
  ctx: Context,
  merchantId: string,
  { locale, brand }: OrderView,
): Promise<Row[] | null> {
  const test = await findTestPayment(ctx, merchantId)
  if (!test) return null
  const at =
    formatMoment(test.recordedAt.toISOString(), locale, { year: true, timeZone: brand.timeZone }) ?? ''
  return [
    [translate(locale, 'orders.testPayment'), shortNumber(test.paymentId)],
    ...(test.description ? [[translate(locale, 'orders.what'), test.description] as Row] : []),
    [
      translate(locale, 'orders.amount'),
      formatAmount(test.amountMinor, test.currency as CurrencyCode, locale),
    ],
    [translate(locale, 'orders.testPaidAt'), at],
  ]
}

function dayText(day: string, { locale }: OrderView): string {
  const format = new Intl.DateTimeFormat(locale, {
    day: 'numeric',
    month: 'long',
    year: 'numeric',
    timeZone: 'UTC',
  })
  return format.format(new Date(`${day}T00:00:00Z`))
}
