/** `order mails`: how the owner of a shop is told of orders. */
import { LANGUAGES, type Language } from '../../../contract/languages.ts'
import {
  changeOrderBook,
  getOrderBook,
  newsWithNotice,
  type OrderBook,
} from '../../../operator/orders/book.ts'
import { NEWS, NOTICE_TIMES } from '../../../storage/orders/orders.ts'
import { verb } from '../../command.ts'
import { MERCHANT, optional, optionalChoice, severalChoices, toggle } from '../../flag.ts'
import { pairs, paragraphs } from '../../layout.ts'

export const NO_MAIL_SERVER =
  'No mail server is set up: SMTP_URL is not set. So no mail is sent. Look at the orders with the command "order list".'

export const mails = verb({
  name: 'mails',
  needs: 'operator',
  summary: 'Set where and when the owner of a shop is told of orders',
  flags: {
    merchant: MERCHANT,
    email: optional('E', 'where the mails go'),
    language: optionalChoice('L', 'their language', Object.keys(LANGUAGES) as Language[]),
    when: optionalChoice('T', 'at once, or in one mail a day', NOTICE_TIMES),
    not: severalChoices('KIND', 'no mail about this; repeat it for several', NEWS),
    everything: toggle('mails about everything again'),
    off: toggle('no mails any more'),
  },
  examples: [
    '--merchant mer_01... --email potter@shop.example --language hy',
    '--merchant mer_01... --when daily --not dispute',
    '--merchant mer_01...',
  ],
  async run(ctx, { merchant: merchantId, email, language: locale, when: noticeTime, not, everything, off }) {
    const silent = everything ? [] : not
    const wish = { email: off ? null : email, locale, told: noticeTime, silent }
    const asks = Object.values(wish).some((value) => value !== undefined)
    const orderBook = await (asks ? changeOrderBook(ctx, merchantId, wish) : getOrderBook(ctx, merchantId))
    const mailServer = ctx.config.smtpServer !== undefined && ctx.config.smtpServer !== null
    const json = { ...orderBook, about: newsWithNotice(orderBook), mailServer }
    return { json, text: paragraphs(orderBookText(orderBook), !mailServer && NO_MAIL_SERVER) }
  },
})

function orderBookText(orderBook: OrderBook): string {
  const about = newsWithNotice(orderBook)
  return pairs([
    ['Merchant', orderBook.merchantId],
    ['Mails go to', orderBook.email ?? 'nobody'],
    ['Language', orderBook.locale],
    ['When', orderBook.told === 'daily' ? 'once a day, in the evening' : 'at once'],
    ['About', about.length > 0 ? about.join(', ') : 'nothing'],
  ])
}
