/** The chosen button, and the parts of its markup that several forms of the snippet share. */
import type { ChannelProduct, ChannelSettings } from './settings.ts'

/** A colour for light pages and for dark pages. */
export type Shades = { light: string; dark: string }

/**
 * The chosen options of a button. `price`: finished text, or null to show none. `label` may contain `%s` for the price.
 * `returnUrl`: set only if it differs from the installation's own.
 */
export type ButtonChoice = {
  product: ChannelProduct
  price: string | null
  label: string | null
  locale: string | null
  returnUrl?: string | null
  background: Shades
  text: Shades
  radiusPx: number
  isPinned: boolean
  /** The button's language with its texts, so that the page does not ask for them. Absent for English, which is in the script. */
  texts?: string | null
}

/** A relative address is always on the page's own origin. Only the site builder knows whether this page exists. */
export const RETURN_GUESS = '/thanks'

/** The widget's defaults, equal to those in widget/styles.css. A snippet contains only values that differ from them. */
export const BUTTON_LOOK = {
  background: { light: '#0b5c49', dark: '#84dfb9' },
  text: { light: '#ffffff', dark: '#04261c' },
  radiusPx: 12,
}

/**
 * The attributes of the element. Each has `endpoint`, because a shop's cache plug-in may join the script into a file of the shop's own
 * host, and the script then takes that host for its server.
 */
export function attributesOf(
  { publicKey, apiOrigin, returnUrl }: Pick<ChannelSettings, 'publicKey' | 'apiOrigin' | 'returnUrl'>,
  { product, price, label, locale, returnUrl: chosen, texts = null }: ButtonChoice,
): [name: string, value: string][] {
  const all: [string, string | null][] = [
    ['public-key', publicKey],
    ['product-id', product.id],
    ['product-name', product.name],
    // If the installation has no return URL, the page must name one.
    ['return-url', chosen ?? (returnUrl === null ? RETURN_GUESS : null)],
    ['price', price],
    ['label', label],
    ['locale', locale],
    ['endpoint', apiOrigin],
    ['texts', texts],
  ]
  return all.filter((each): each is [string, string] => each[1] !== null)
}

/** The CSS custom properties that differ from the widget's defaults. */
export function themeOf({ background, text, radiusPx }: ButtonChoice): [property: string, value: string][] {
  const all: [string, string, boolean][] = [
    ['--kassa-pay-bg', shade(background), isSame(background, BUTTON_LOOK.background)],
    ['--kassa-pay-color', shade(text), isSame(text, BUTTON_LOOK.text)],
    ['--kassa-pay-radius', `${radiusPx}px`, radiusPx === BUTTON_LOOK.radiusPx],
  ]
  return all.flatMap(([property, value, isDefault]) => (isDefault ? [] : [[property, value]]))
}

function shade({ light, dark }: Shades): string {
  return light === dark ? light : `light-dark(${light}, ${dark})`
}

function isSame(one: Shades, other: Shades): boolean {
  return one.light === other.light && one.dark === other.dark
}

export function writeStyle(choice: ButtonChoice): string {
  const rule = ruleOf(choice)
  return rule && `<style>\n${rule}</style>\n`
}

export function ruleOf(choice: ButtonChoice): string {
  const lines = themeOf(choice).map(([property, value]) => `    ${property}: ${value};\n`)
  return lines.length > 0 ? `  kassa-pay {\n${lines.join('')}  }\n` : ''
}

/** `more`: attributes of HTML, besides those of the button. */
export function tagOf(
  channel: ChannelSettings,
  choice: ButtonChoice,
  more: [name: string, value: string][] = [],
): string {
  const { product } = choice
  return `${openTag('<kassa-pay', [...attributesOf(channel, choice), ...more])}>
  <a href="${escaped(product.payUrl)}" target="_top">${escaped(linkText(choice))}</a>
</kassa-pay>`
}

/** The link for buyers without JavaScript. Its target is `_top`, because the payment page refuses to load in a frame. */
export function linkText({ product, price, label }: ButtonChoice): string {
  if (label) return label.includes('%s') ? label.replaceAll('%s', price ?? '').trim() : label
  return price === null ? product.name : `${product.name}, ${price}`
}

export function scriptOf(
  { script }: ChannelSettings,
  { isPinned }: ButtonChoice,
): { src: string; integrity?: string } {
  return isPinned && script.pinned
    ? { src: script.pinned.scriptUrl, integrity: script.pinned.integrity }
    : { src: script.moving }
}

const LINE_CHARS = 100

/** Writes the tag on one line if the line is short enough, else with one attribute on each line. */
export function openTag(start: string, attributes: [string, string][]): string {
  const parts = attributes.map(([name, value]) => `${name}="${escaped(value)}"`)
  const line = [start, ...parts].join(' ')
  return line.length <= LINE_CHARS ? line : [start, ...parts].join('\n  ')
}

/**
 * Escapes markup, and the characters that platforms interpret: `{{` in Liquid, Vue and Tilda, and `[` in WordPress. As entities
 * they are plain characters.
 */
function escaped(text: string): string {
  return oneLine(text).replaceAll(/[&<>"'{}[\]]/g, (letter) => `&#${letter.charCodeAt(0)};`)
}

export function oneLine(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: this expression finds control characters
  return text.replaceAll(/[\x00-\x1f\x7f\u2028\u2029]+/g, ' ')
}
