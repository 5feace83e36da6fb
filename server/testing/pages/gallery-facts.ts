/** The common data of the gallery's pages: the texts of a merchant, an amount, a moment, a brand. */
import type { Brand } from '../../pages/brand/brand.ts'
import { lookAgain } from '../../pages/checkout/look-again.ts'
import { linksTo } from '../../pages/page-endpoint.ts'
import type { Locale } from '../../pages/words/locale.ts'

/** Texts of merchants and buyers that the pages show. */
export type Texts = { merchantName: string; merchantOrderId: string; description: string; address: string }

export type Show = (locale: Locale, texts: Texts) => string

export const AMOUNTS = { amountMinor: 19_000_000, currency: 'AMD' } as const
export const MOMENT = '2026-03-04T15:30:00Z'
export const ADDRESS = 'https://pay.example/checkout/pay_01kgwzxq6n4t8v0c2f5h7j9m1p'

/** The ways to pay between which a buyer chooses. */
export const CHOOSING = {
  kind: 'choice' as const,
  action: ADDRESS,
  options: [
    { route: 'route_a', label: 'Visa, Mastercard, ArCa', mark: 'card' as const },
    { route: 'route_b', label: 'Idram', mark: 'wallet' as const },
    { route: 'manual', label: 'Bank transfer', mark: 'bank' as const },
  ],
}

export const GALLERY_TEXTS: Texts = {
  merchantName: 'Բարձրավանդակ թեյի տուն',
  merchantOrderId: 'order-2026-000117',
  description: 'Լեռնային թեյի տարեկան բաժանորդագրություն և պահպանման տուփ',
  address: 'https://shop.example/thanks',
}

export function facts(locale: Locale, texts: Texts) {
  const { merchantName, merchantOrderId, description, address: returnUrl } = texts
  const path = '/checkout/pay_01kgwzxq6n4t8v0c2f5h7j9m1p'
  return {
    locale,
    mode: 'sandbox' as const,
    merchantName,
    merchantOrderId,
    description,
    returnUrl,
    ...AMOUNTS,
    paymentId: 'pay_01kgwzxq6n4t8v0c2f5h7j9m1p',
    expiresAt: MOMENT,
    lookAgain: lookAgain(path, {}),
    localeLinks: linksTo(path, {}),
  }
}

/** `colour`: a difficult one. White and black text are both near the contrast limit, or it is hard to see on a surface. */
export function brandOf({ merchantName }: Texts, colour: string): Brand {
  return {
    name: merchantName,
    logo: { address: '/pictures/logo.png', width: 512, height: 200, ground: 'light' },
    colour,
    phone: '+374 10 123456',
    email: 'help@shop.example',
    site: 'https://www.shop.example/',
    taxNumber: merchantName,
    termsUrl: 'https://shop.example/terms',
    timeZone: 'Europe/Paris',
  }
}

export const branded =
  (colour: string, make: (changes: { brand: Brand }) => Show): Show =>
  (locale, texts) =>
    make({ brand: brandOf(texts, colour) })(locale, texts)
