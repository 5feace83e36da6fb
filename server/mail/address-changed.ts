/** Tells the owner of a shop of a change. It names no secret and no new address. */
import type { Context } from '../context.ts'
import { findBrand } from '../pages/brand/brand.ts'
import { LOCALES, type Locale } from '../pages/words/locale.ts'
import { say } from '../pages/words/messages.ts'
import type { OwnerChange } from '../storage/mails/mail.ts'
import type { AddressMail } from '../storage/mails/mails.ts'
import { htmlOf, type Letter, textOf } from './letter.ts'
import type { Message } from './smtp.ts'

type Words = { changes: Record<OwnerChange, { title: string; text: string }>; ask: string; why: string }

const WORDS: Partial<Record<Locale, Words>> & { en: Words } = {
  en: {
    changes: {
      address: {
        title: 'The mails about orders go to another address',
        text: 'Somebody who may do so has changed the address to which {name} sends mails about orders. This address gets no more of them.',
      },
      price: {
        title: 'A price has changed',
        text: 'Somebody who may do so has changed a price of {name}. New payments use the new price.',
      },
      callback: {
        title: 'The news of payments goes to another address',
        text: 'Somebody who may do so has changed the address to which the news of payments of {name} goes.',
      },
      token: {
        title: 'A token was replaced',
        text: 'Somebody who may do so has replaced a token with which the server of {name} takes payments.',
      },
      event_secret: {
        title: 'The secret of events was replaced',
        text: 'Somebody who may do so has replaced the secret that signs the news of payments of {name}.',
      },
    },
    ask: 'If you did not expect this, ask whoever runs the payments of the shop at once.',
    why: 'This mail was sent to the address for mails about orders. If that address has changed, it was sent to the one before.',
  },
  ru: {
    changes: {
      address: {
        title: 'Письма о заказах идут на другой адрес',
        text: 'Тот, кто вправе это делать, изменил адрес, на который {name} отправляет письма о заказах. На этот адрес они больше не приходят.',
      },
      price: {
        title: 'Цена изменилась',
        text: 'Тот, кто вправе это делать, изменил цену у {name}. Новые платежи идут по новой цене.',
      },
      callback: {
        title: 'Сообщения о платежах идут на другой адрес',
        text: 'Тот, кто вправе это делать, изменил адрес, на который идут сообщения о платежах {name}.',
      },
      token: {
        title: 'Токен заменён',
        text: 'Тот, кто вправе это делать, заменил токен, с которым сервер {name} принимает платежи.',
      },
      event_secret: {
        title: 'Секрет сообщений заменён',
        text: 'Тот, кто вправе это делать, заменил секрет, которым подписаны сообщения о платежах {name}.',
      },
    },
    ask: 'Если вы этого не ждали, сразу спросите того, кто ведёт платежи магазина.',
    why: 'Это письмо отправлено на адрес для писем о заказах. Если этот адрес изменился, оно отправлено на прежний.',
  },
  hy: {
    changes: {
      address: {
        title: 'Պատվերների նամակները գնում են այլ հասցեի',
        text: 'Իրավունք ունեցող մարդը փոխել է հասցեն, որին {name}-ն ուղարկում է պատվերների նամակները։ Այս հասցեն դրանք այլևս չի ստանա։',
      },
      price: {
        title: 'Գինը փոխվել է',
        text: 'Իրավունք ունեցող մարդը փոխել է {name}-ի գինը։ Նոր վճարումները կատարվում են նոր գնով։',
      },
      callback: {
        title: 'Վճարումների լուրերը գնում են այլ հասցեի',
        text: 'Իրավունք ունեցող մարդը փոխել է հասցեն, որին գնում են {name}-ի վճարումների լուրերը։',
      },
      token: {
        title: 'Թոքենը փոխարինվել է',
        text: 'Իրավունք ունեցող մարդը փոխարինել է թոքենը, որով {name}-ի սերվերն ընդունում է վճարումներ։',
      },
      event_secret: {
        title: 'Լուրերի գաղտնիքը փոխարինվել է',
        text: 'Իրավունք ունեցող մարդը փոխարինել է գաղտնիքը, որով ստորագրվում են {name}-ի վճարումների լուրերը։',
      },
    },
    ask: 'Եթե չէիք սպասում դրան, անմիջապես հարցրեք նրան, ով վարում է խանութի վճարումները։',
    why: 'Այս նամակն ուղարկվել է պատվերների նամակների հասցեին։ Եթե այդ հասցեն փոխվել է, նամակն ուղարկվել է նախկինին։',
  },
}

export async function writeAddressChanged(ctx: Context, mail: AddressMail): Promise<Message> {
  const { merchantId, notice } = mail
  const locale = LOCALES.find((each) => each === notice.locale) ?? 'en'
  const brand = await findBrand(ctx, merchantId, locale)
  const { changes, ask, why } = WORDS[locale] ?? WORDS.en
  const { title, text } = changes[notice.change ?? 'address']
  const logo = brand.logo && { logo: { ...brand.logo, address: ctx.baseUrl + brand.logo.address } }
  const letter: Letter = {
    locale,
    title,
    text: `${text.replace('{name}', brand.name)} ${ask}`,
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
