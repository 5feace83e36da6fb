/** The screens of the order book. */
import {
  listMailContents,
  listOrdersOf,
  listToPack,
  type MailContents,
} from '../../operator/orders/orders.ts'
import type { Locale } from '../../pages/words/locale.ts'
import { isCalendarDay } from '../../written/time.ts'
import type { ConsolePage } from '../page.ts'
import { backTo } from '../page-parts.ts'
import { translate } from '../words/translate.ts'
import { type ShopView, shopOf } from '../world.ts'
import { cutNote, orders } from './list.ts'
import { ORDER_SCREENS } from './order.ts'
import { printPage } from './print.ts'

const PRINT_MAX = 200
const MAIL = /^mal_\w{1,60}$/

/** Prints the list of a day, the orders that a mail to the owner named, or else the slip of each order to pack. */
const print: ConsolePage = {
  method: 'get',
  path: '/:world/shops/:merchant/orders-print',
  needs: 'order list',
  async handle(visit) {
    const { locale, query } = visit
    const view = await shopOf(visit)
    const day = isCalendarDay(query.day ?? '') ? query.day : undefined
    const mailId = MAIL.test(query.mail ?? '') ? query.mail : undefined
    const { orders: found, cases } = await listFor(view, { day, mailId, after: query.after })
    const isList = day !== undefined || mailId !== undefined
    const isCut = found.length > PRINT_MAX
    const title = titleOf(locale, { day, mailId })
    const back = backTo(`${view.path}/orders`, translate(locale, 'ordersTitle'))
    const slips = found.slice(0, PRINT_MAX)
    // The list in a mail is fixed, so this page has no *next*.
    const rest = isCut && mailId === undefined ? restOf(view, { day, after: slips.at(-1)?.id ?? '' }) : null
    const more = rest ? cutNote(visit, { count: slips.length, rest }) : null
    const body = printPage(visit, { title, slips, cases, isCut, more, back, isList }, view)
    return { kind: 'screen', title, body }
  },
}

type OrderSelection = { day: string | undefined; mailId: string | undefined; after?: string | undefined }

/** The page with the orders that are older than the last one here. */
function restOf({ path }: ShopView, { day, after }: { day: string | undefined; after: string }): string {
  return `${path}/orders-print?${new URLSearchParams({ ...(day === undefined ? {} : { day }), after })}`
}

async function listFor(
  { ctx, merchantId }: ShopView,
  { day, mailId, after }: OrderSelection,
): Promise<MailContents> {
  const limit = PRINT_MAX + 1
  if (mailId !== undefined) return listMailContents(ctx, { merchantId, mailId, limit })
  const found =
    day === undefined
      ? listToPack(ctx, { merchantId, after, limit })
      : listOrdersOf(ctx, { merchantId, day, after, limit })
  return { orders: await found, cases: [] }
}

function titleOf(locale: Locale, { day = '', mailId }: OrderSelection): string {
  if (mailId !== undefined) return translate(locale, 'orders.listMailTitle', { day })
  return day === '' ? translate(locale, 'printSlipsTitle') : translate(locale, 'printDayTitle', { day })
}

export const ORDER_PAGES: readonly ConsolePage[] = [orders, print, ...ORDER_SCREENS]
