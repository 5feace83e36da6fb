/** Reads the visitor's choice of a button from the address of the install page. Invalid values are ignored. */
import { BUTTON_LOOK, type ButtonChoice, RETURN_GUESS, type Shades } from '../../channels/button.ts'
import type { Finding } from '../../channels/doctor/finding.ts'
import { diagnoseReturn } from '../../channels/doctor/return.ts'
import type { ChannelProduct, ChannelSettings } from '../../channels/settings.ts'
import { snippetTexts } from '../../channels/widget-build.ts'
import { LANGUAGES } from '../../contract/languages.ts'
import type { Brand } from '../brand/brand.ts'
import { brandColours } from '../brand/style.ts'
import { formatAmount, LOCALES, type Locale } from '../words/locale.ts'

/** The languages that the widget speaks, by their own names. */
export const BUTTON_LOCALES: Record<string, string> = {
  ...Object.fromEntries(LOCALES.map((each) => [each, LANGUAGES[each].own])),
  fr: 'Français',
  de: 'Deutsch',
  es: 'Español',
  ka: 'ქართული',
  ar: 'العربية',
}

export const LABEL_MAX_CHARS = 80
export const RADIUS_MAX_PX = 60

type Query = Record<string, string>

/**
 * Null if the merchant has no product for sale. `locale`: the page's language, in which prices are written unless the button
 * has another.
 */
export function readChoice(
  channel: ChannelSettings,
  query: Query,
  locale: Locale,
  brand: Pick<Brand, 'colour'> = {},
): ButtonChoice | null {
  const product = channel.products.find(({ id }) => id === query.product) ?? channel.products[0]
  if (!product) return null
  const { returnUrl } = readReturn(channel, query)
  const look = lookOf(brand)
  const language = Object.hasOwn(BUTTON_LOCALES, query.language ?? '') ? (query.language ?? null) : null
  return {
    product,
    price: query.price === 'hidden' ? null : priceOf(product, language, locale),
    label: query.label?.trim().slice(0, LABEL_MAX_CHARS) || null,
    locale: language,
    returnUrl,
    background: readShades(query, 'background', look.background),
    text: readShades(query, 'text', look.text),
    radiusPx: readRadius(query.radius),
    isPinned: query.version !== 'moving' && channel.script.pinned !== null,
    texts: snippetTexts(language ?? locale),
  }
}

/** The button has the merchant's colour until the visitor chooses another, and text on it that can be read. */
function lookOf({ colour }: Pick<Brand, 'colour'>): { background: Shades; text: Shades } {
  if (!colour) return BUTTON_LOOK
  const [light, dark] = [visible(colour, 'light'), visible(colour, 'dark')]
  return {
    background: { light: light.fill, dark: dark.fill },
    text: { light: light.on, dark: dark.on },
  }
}

/** A colour that a page of this scheme would swallow is replaced by its nearest shade that can be seen. */
function visible(colour: string, scheme: 'light' | 'dark') {
  const colours = brandColours(colour, scheme)
  return colours.edge === 'transparent' ? colours : brandColours(colours.ink, scheme)
}

/**
 * Where buyers return: the address that was asked for, else the installation's own, else a guess. `returnUrl`: null if the
 * snippet does not have to name it. `fault`: why the address that was asked for is rejected.
 */
export function readReturn(
  channel: ChannelSettings,
  query: Query,
): { wanted: string; returnUrl: string | null; fault: Finding | null } {
  const usual = channel.returnUrl ?? RETURN_GUESS
  const wanted = query.return?.trim() || usual
  const findings = wanted === usual ? [] : diagnoseReturn(channel, wanted, channel.origins[0])
  const fault = findings.find(({ weight }) => weight === 'bad') ?? null
  const taken = fault ? usual : wanted
  return { wanted, returnUrl: taken === channel.returnUrl ? null : taken, fault }
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
