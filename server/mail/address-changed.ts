/** Tells whoever got the mails about a shop's orders until now that they go elsewhere. It names no new address. */
import type { Context } from '../context.ts'
import { findBrand } from '../pages/brand/brand.ts'
import { LOCALES, type Locale } from '../pages/words/locale.ts'
import { say } from '../pages/words/messages.ts'
import type { AddressMail } from '../storage/mails/mails.ts'
import { htmlOf, type Letter, textOf } from './letter.ts'
import type { Message } from './smtp.ts'

const WORDS: Partial<Record<Locale, Words>> & { en: Words } = {
  en: {
    title: 'The mails about orders go to another address',
    text: 'Somebody who may do so has changed the address to which {name} sends mails about orders. This address gets no more of them. If you did not expect this, ask whoever runs the payments of the shop at once.',
    why: 'This mail was sent to the address that was used until now.',
  },
  ru: {
    title: 'Письма о заказах идут на другой адрес',
    text: 'Тот, кто вправе это делать, изменил адрес, на который {name} отправляет письма о заказах. На этот адрес они больше не приходят. Если вы этого не ждали, сразу спросите того, кто ведёт платежи магазина.',
    why: 'Это письмо отправлено на адрес, который использовался до сих пор.',
  },
  hy: {
    title: 'Պատվերների նամակները գնում են այլ հասցեի',
    text: 'Իրավունք ունեցող մարդը փոխել է հասցեն, որին {name}-ն ուղարկում է պատվերների նամակները։ Այս հասցեն դրանք այլևս չի ստանա։ Եթե չէիք սպասում դրան, անմիջապես հարցրեք նրան, ով վարում է խանութի վճարումները։',
    why: 'Այս նամակն ուղարկվել է մինչև հիմա օգտագործված հասցեին։',
  },
}
type Words = { title: string; text: string; why: string }

export async function writeAddressChanged(ctx: Context, mail: AddressMail): Promise<Message> {
  const { merchantId, notice } = mail
  const locale = LOCALES.find((each) => each === notice.locale) ?? 'en'
  const brand = await findBrand(ctx, merchantId, locale)
  const { title, text, why } = WORDS[locale] ?? WORDS.en
  const logo = brand.logo && { logo: { ...brand.logo, address: ctx.baseUrl + brand.logo.address } }
  const letter: Letter = {
    locale,
    title,
    text: text.replace('{name}', brand.name),
    facts: [],
    way: null,
    test: ctx.world === 'sandbox' ? `${say(locale, 'ribbon')}. ${say(locale, 'ribbonText')}` : null,
    contact: [],
    contactTitle: '',
    why,
    brand: { ...brand, ...logo },
  }
  const from = ctx.config.mailFrom ?? ''
  return {
    messageId: `${mail.id}@${from.slice(from.lastIndexOf('@') + 1)}`,
    date: mail.createdAt,
    from: { name: brand.name || 'Kassa', address: from },
    to: notice.to,
    subject: `${ctx.world === 'sandbox' ? `[${say(locale, 'ribbon')}] ` : ''}${title}`,
    text: textOf(letter),
    html: htmlOf(letter),
  }
}
