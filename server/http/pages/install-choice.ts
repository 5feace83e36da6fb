/** How the visitor of the install page wants the button, out of the page's address. What makes no sense is as if not said. */
import type { ChannelProduct, ChannelSettings } from '../../merchants/channel-settings.ts'
import { BUTTON_LOOK, type ButtonChoice, type Shades } from '../../merchants/channel-snippets.ts'
import { formatAmount, LOCALES, type Locale } from './locale.ts'

/** The languages that the widget speaks, by their own names. */
export const BUTTON_LOCALES = {
  ...{ hy: 'Հայերեն', ru: 'Русский', en: 'English', fr: 'Français', de: 'Deutsch', es: 'Español' },
  ...{ ka: 'ქართული', ar: 'العربية' },
} as const

export const LABEL_MAX_CHARS = 80
export const RADIUS_MAX_PX = 60

type Query = Record<string, string>

/** Null where nothing is for sale. `locale`: the page's, in which prices are written unless the button has another. */
export function readChoice(channel: ChannelSettings, query: Query, locale: Locale): ButtonChoice | null {
  const product = channel.products.find(({ id }) => id === query.product) ?? channel.products[0]
  if (!product) return null
  const language = Object.hasOwn(BUTTON_LOCALES, query.language ?? '') ? (query.language ?? null) : null
  return {
    product,
    price: query.price === 'hidden' ? null : priceOf(product, language, locale),
    label: query.label?.trim().slice(0, LABEL_MAX_CHARS) || null,
    locale: language,
    background: readShades(query, 'background', BUTTON_LOOK.background),
    text: readShades(query, 'text', BUTTON_LOOK.text),
    radiusPx: readRadius(query.radius),
    isPinned: query.version !== 'moving' && channel.script.pinned !== null,
  }
}

function priceOf({ amountMinor, currency }: ChannelProduct, language: string | null, locale: Locale): string {
  return formatAmount(amountMinor, currency, LOCALES.find((each) => each === language) ?? locale)
}

function readShades(query: Query, name: string, usual: Shades): Shades {
  return {
    light: readColour(query[name]) ?? usual.light,
    dark: readColour(query[`${name}Dark`]) ?? usual.dark,
  }
}

function readColour(text: string | undefined): string | null {
  return text !== undefined && /^#[0-9a-f]{6}$/i.test(text) ? text.toLowerCase() : null
}

function readRadius(text: string | undefined): number {
  const number = text !== undefined && /^\d{1,2}$/.test(text) ? Number(text) : BUTTON_LOOK.radiusPx
  return Math.min(number, RADIUS_MAX_PX)
}
