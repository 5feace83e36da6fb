/**
 * Attributes to WidgetConfig, or one readable sentence for the site builder.
 * The room's law: only this file speaks to the console, only api.ts to the network, only element.ts to the page.
 */
import { type Locale, pickLocale } from './messages.ts'

export const ATTRIBUTES = [
  'public-key',
  'product-id',
  'return-url',
  'client-reference',
  'price',
  'label',
  'locale',
  'target',
  'endpoint',
] as const
export type AttributeName = (typeof ATTRIBUTES)[number]

/** What one button needs to know. `order` is the page's `client-reference`: our own reference begins with it. */
export type WidgetConfig = {
  apiOrigin: string
  publicKey: string
  productId: string
  returnUrl: string | undefined
  order: string | undefined
  price: string | undefined
  label: string | undefined
  locale: Locale
  target: string | undefined
}

/**
 * Reads the attributes through `read` (null where the page sets none). `scriptOrigin` is where the script came from,
 * `languages` are the page's and the browser's, nearest first. Answers the problem as text where one cannot go on.
 */
export function parseConfig(
  read: (name: AttributeName) => string | null,
  scriptOrigin: string | undefined,
  languages: readonly (string | null | undefined)[],
): WidgetConfig | string {
  // An empty attribute is what a template leaves behind where its value is missing.
  const get = (name: AttributeName): string | undefined => read(name)?.trim() || undefined
  const publicKey = get('public-key')
  const productId = get('product-id')
  const apiOrigin = httpOrigin(get('endpoint') ?? scriptOrigin)
  if (!publicKey || !productId || !apiOrigin) {
    const missing = [!publicKey && 'public-key', !productId && 'product-id', !apiOrigin && 'endpoint']
    return (
      `Missing or wrong: ${missing.filter(Boolean).join(', ')}. Write ` +
      '<kassa-pay public-key="kpk_..." product-id="tea" return-url="https://shop.example/thanks">, ' +
      'or data-public-key="kpk_..." and so on in the script tag. ' +
      'Without a script tag from the payment server add endpoint="https://pay.example".'
    )
  }
  return {
    apiOrigin,
    publicKey,
    productId,
    returnUrl: get('return-url'),
    order: get('client-reference'),
    price: get('price'),
    label: get('label'),
    locale: pickLocale([get('locale'), ...languages]),
    target: get('target'),
  }
}

/** The origin of an absolute http(s) address, else undefined. */
export function httpOrigin(address: string | undefined): string | undefined {
  try {
    const { origin, protocol } = new URL(address ?? '')
    // The protocol too: a blob: address carries the origin of the page that made it.
    return /^https?:$/.test(protocol) ? origin : undefined
  } catch {
    return undefined
  }
}

/** Tells the site builder; the buyer reads our own words on the button. */
export function tellBuilder(problem: string): void {
  console.error(`[kassa-pay] ${problem}`)
}

/** A refused origin gets no CORS header and so looks like a dead server: name both, and the cure. */
export function explainUnreachable({ apiOrigin, publicKey }: WidgetConfig, pageOrigin: string): string {
  return (
    `No answer from ${apiOrigin}. Either it is unreachable, or this page's policy lacks connect-src ${apiOrigin}, ` +
    `or this page's origin ${pageOrigin} is not registered for the key ${publicKey}. ` +
    `Check: ${apiOrigin}/install/${publicKey} To register it: ` +
    `npm run -s admin -- installation allow --installation ${publicKey} --origin ${pageOrigin}`
  )
}
