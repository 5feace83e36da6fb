/** Tells somebody of a change. The mail names no secret and no new address. */

import type { Context } from '../../context.ts'
import { translate } from '../../messages/translate.ts'
import { findBrand } from '../../pages/brand/brand.ts'
import { LOCALES, type Locale } from '../../pages/words/locale.ts'
import { PERSON_CHANGES } from '../../storage/mails/mail.ts'
import type { AddressMail } from '../../storage/mails/mails.ts'
import { htmlOf, type Letter, textOf } from '../letter.ts'
import type { Message } from '../smtp.ts'

/** `shop`: the mail goes to the owner of a shop. `person`: to somebody who signs in to the console. */
type Reader = 'shop' | 'person'

/** Rights of a person are the same in both worlds. A limit for the second person belongs to its world. */
const isOfBothWorlds = (change: string) => isOfPerson(change) && change !== 'approval_limit'
const isOfPerson = (change: string) => PERSON_CHANGES.some((each) => each === change)

export async function writeChange(ctx: Context, mail: AddressMail): Promise<Message> {
  const { merchantId, notice } = mail
  const { change = 'address' } = notice
  const locale = LOCALES.find((each) => each === notice.locale) ?? 'en'
  const reader: Reader = isOfPerson(change) ? 'person' : 'shop'
  const brand = reader === 'person' ? { name: 'Kassa' } : await brandOf(ctx, merchantId, locale)
  const title = translate(locale, `notices.changes.${change}.title`)
  const text = translate(locale, `notices.changes.${change}.text`, { name: notice.name ?? brand.name })
  const isTest = ctx.world === 'sandbox' && !isOfBothWorlds(change)
  const letter: Letter = {
    locale,
    title,
    text: `${text} ${translate(locale, `notices.changes.ask.${reader}`)}`,
    facts: [],
    way: null,
    test: isTest ? `${translate(locale, 'pages.ribbon')}. ${translate(locale, 'pages.ribbonText')}` : null,
    contact: [],
    contactTitle: '',
    why: translate(locale, `notices.changes.why.${reader}`),
    brand,
  }
  const from = ctx.config.mailFrom ?? ''
  return {
    messageId: `${mail.id}@${from.slice(from.lastIndexOf('@') + 1)}`,
    date: mail.createdAt,
    from: { name: brand.name || 'Kassa', address: from },
    to: notice.to,
    subject: `${isTest ? `[${translate(locale, 'pages.ribbon')}] ` : ''}${title}`,
    text: textOf(letter),
    html: htmlOf(letter),
  }
}

/** Returns the brand, with the absolute address of the logo, which mail programs need. */
async function brandOf(ctx: Context, merchantId: string, locale: Locale): Promise<Letter['brand']> {
  const brand = await findBrand(ctx, merchantId, locale)
  return {
    ...brand,
    ...(brand.logo && { logo: { ...brand.logo, address: ctx.baseUrl + brand.logo.address } }),
  }
}
