/** What all mails to buyers share: the shop's marks around the letter, and the message's head. */

import type { Context } from '../context.ts'
import { translate } from '../messages/translate.ts'
import type { Brand } from '../pages/brand/brand.ts'
import { webAddress } from '../pages/web-address.ts'
import type { Locale } from '../pages/words/locale.ts'
import type { BuyerMail } from '../storage/mails/mails.ts'
import { htmlOf, type Letter, textOf } from './letter.ts'
import type { Message } from './smtp.ts'

export function frameOf(
  ctx: Context,
  locale: Locale,
  brand: Brand,
): Pick<Letter, 'test' | 'contact' | 'contactTitle' | 'why' | 'brand'> {
  return {
    test:
      ctx.world === 'sandbox'
        ? `${translate(locale, 'pages.ribbon')}. ${translate(locale, 'pages.ribbonText')}`
        : null,
    contact: [brand.phone, brand.email, webAddress(brand.site)].filter((each) => each !== undefined),
    contactTitle: translate(locale, 'pages.contactTitle'),
    why: translate(locale, 'mails.why', { name: brand.name }),
    brand: {
      ...brand,
      ...(brand.logo && { logo: { ...brand.logo, address: ctx.baseUrl + brand.logo.address } }),
    },
  }
}

/** `to`: the buyer's address. */
export function buyerMessage(
  ctx: Context,
  { id, createdAt }: Pick<BuyerMail, 'id' | 'createdAt'>,
  { letter, brand, to }: { letter: Letter; brand: Brand; to: string },
): Message {
  const from = ctx.config.mailFrom ?? ''
  const mark = ctx.world === 'sandbox' ? `[${translate(letter.locale, 'pages.ribbon')}] ` : ''
  return {
    messageId: `${id}@${from.slice(from.lastIndexOf('@') + 1)}`,
    date: createdAt,
    from: { name: brand.name, address: from },
    to,
    ...(brand.email && { replyTo: brand.email }),
    subject: mark + letter.title,
    text: textOf(letter),
    html: htmlOf(letter),
  }
}
