/** `order mails`: how the owner of a shop is told of orders. */
import { LANGUAGES, type Language } from '../../../contract/languages.ts'
import { changeOrderBook, getOrderBook, type OrderBook, toldAbout } from '../../../operator/orders/book.ts'
import { NEWS, TOLD } from '../../../storage/orders/orders.ts'
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
    when: optionalChoice('T', 'at once, or in one mail a day', TOLD),
    not: severalChoices('KIND', 'no mail about this; repeat it for several', NEWS),
    everything: toggle('mails about everything again'),
    off: toggle('no mails any more'),
  },
  examples: [
    '--merchant mer_01... --email potter@shop.example --language hy',
    '--merchant mer_01... --when daily --not dispute',
    '--merchant mer_01...',
  ],
  async run(ctx, { merchant: merchantId, email, language: locale, when: told, not, everything, off }) {
    const silent = everything ? [] : not
    const wish = { email: off ? null : email, locale, told, silent }
    const asks = Object.values(wish).some((value) => value !== undefined)
    const book = await (asks ? changeOrderBook(ctx, merchantId, wish) : getOrderBook(ctx, merchantId))
    const mailServer = ctx.config.smtpServer !== undefined && ctx.config.smtpServer !== null
    const json = { ...book, about: toldAbout(book), mailServer }
    return { json, text: paragraphs(bookText(book), !mailServer && NO_MAIL_SERVER) }
  },
})

function bookText(book: OrderBook): string {
  const about = toldAbout(book)
  return pairs([
    ['Merchant', book.merchantId],
    ['Mails go to', book.email ?? 'nobody'],
    ['Language', book.locale],
    ['When', book.told === 'daily' ? 'once a day, in the evening' : 'at once'],
    ['About', about.length > 0 ? about.join(', ') : 'nothing'],
  ])
}
