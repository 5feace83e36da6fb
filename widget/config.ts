/**
 * Turns the attributes into a WidgetConfig or into one message for the site builder.
 * Rule of this folder: only this file writes to the console, only api.ts uses the network, only element.ts and embed.ts
 * touch the page.
 */
import { type Locale, pickLocale } from './messages.ts'

export const ATTRIBUTES = [
  'public-key',
  'product-id',
  'product-name',
  'return-url',
  'client-reference',
  'price',
  'label',
  'locale',
  'target',
  'endpoint',
  'texts',
] as const
export type AttributeName = (typeof ATTRIBUTES)[number]

/** The settings of one button. `order` is the page's `client-reference`: the reference that we send begins with it. */
export type WidgetConfig = {
  apiOrigin: string
  publicKey: string
  productId: string
  /** Completes the button's name for screen readers, so that the buttons of several products differ. */
  productName: string | undefined
  returnUrl: string | undefined
  order: string | undefined
  price: string | undefined
  label: string | undefined
  locale: Locale
  target: string | undefined
  /** A language and its texts, as the snippet has them: `hy|...|...`. */
  texts: string | undefined
}

/**
 * Reads the attributes through `read`, which returns null for a missing one. `scriptOrigin` is the origin of the script,
 * `languages` are the page's and the browser's, in order of preference. Returns a text if an attribute is missing or invalid.
 */
export function parseConfig(
  read: (name: AttributeName) => string | null,
  scriptOrigin: string | undefined,
  languages: readonly (string | null | undefined)[],
): WidgetConfig | string {
  // A template writes an empty attribute when its value is missing.
  const get = (name: AttributeName): string | undefined => read(name)?.trim() || undefined
  const publicKey = get('public-key')
  const productId = get('product-id')
  const apiOrigin = httpOrigin(get('endpoint') ?? scriptOrigin)
  if (!publicKey || !productId || !apiOrigin) {
    const missing = [!publicKey && 'public-key', !productId && 'product-id', !apiOrigin && 'endpoint']
    return (
      `Missing or wrong: ${missing.filter(Boolean).join(', ')}. Write ` +
      '<kassa-pay public-key="kpk_..." product-id="tea" endpoint="https://pay.example">, or data-... in the script tag.'
    )
  }
  return {
    apiOrigin,
    publicKey,
    productId,
    productName: get('product-name'),
    returnUrl: get('return-url'),
    order: get('client-reference'),
    price: get('price'),
    label: get('label'),
    locale: pickLocale([get('locale'), ...languages]),
    target: get('target'),
    texts: get('texts'),
  }
}

/** Returns the origin of an absolute http(s) address, and undefined for anything else. */
export function httpOrigin(address: string | undefined): string | undefined {
  try {
    const { origin, protocol } = new URL(address ?? '')
    // Check the protocol too: a blob: address has the origin of the page that made it.
    return /^https?:$/.test(protocol) ? origin : undefined
  } catch {
    return undefined
  }
}

/** Writes a message for the site builder. The buyer reads the text on the button. */
export function warnSiteBuilder(problem: string): void {
  console.error(`[kassa-pay] ${problem}`)
}

/**
 * The server sends no CORS header to an origin that is not registered, so the browser reports the same error as for a
 * server that is down. The message names each possible cause and the page that tells them apart.
 */
export function explainUnreachable({ apiOrigin, publicKey }: WidgetConfig, pageOrigin: string): string {
  return (
    `No answer from ${apiOrigin}. It is down, or this page's Content-Security-Policy lacks connect-src ${apiOrigin}, ` +
    `or the origin ${pageOrigin} is not registered for the key ${publicKey}. ` +
    `Open ${apiOrigin}/install/${publicKey}?site=${pageOrigin} to see which.`
  )
}
