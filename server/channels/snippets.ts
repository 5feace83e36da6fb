/** Writes the pay button as text to paste, in the form that each platform accepts. */
import type { ChannelProduct, ChannelSettings } from './settings.ts'

export const PLATFORMS = [
  'html',
  'script',
  'wordpress',
  'woocommerce',
  'tilda',
  'wix',
  'squarespace',
  'shopify',
  'opencart',
  'joomla',
  'webflow',
  'gtm',
  'react',
  'vue',
] as const
export type Platform = (typeof PLATFORMS)[number]

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
}

/** A relative address is always on the page's own origin. Only the site builder knows whether this page exists. */
export const RETURN_GUESS = '/thanks'

/** The widget's defaults, equal to those in widget/styles.css. A snippet contains only values that differ from them. */
export const BUTTON_LOOK = {
  background: { light: '#0b5c49', dark: '#84dfb9' },
  text: { light: '#ffffff', dark: '#04261c' },
  radiusPx: 12,
}

type Writer = (channel: ChannelSettings, choice: ButtonChoice) => string

const WRITERS: Record<Platform, Writer> = {
  html: writeElement,
  script: writeScriptForm,
  wordpress: writeElement,
  woocommerce: writeElement,
  tilda: writeElement,
  wix: writeFields,
  squarespace: writeElement,
  shopify: writeElement,
  opencart: writeElement,
  joomla: writeElement,
  webflow: writeElement,
  gtm: writeTagManager,
  react: writeReact,
  vue: writeVue,
}

export function writeSnippet(platform: Platform, channel: ChannelSettings, choice: ButtonChoice): string {
  return WRITERS[platform](channel, choice)
}

/** The attributes of the element. */
export function attributesOf(
  { publicKey, returnUrl }: Pick<ChannelSettings, 'publicKey' | 'returnUrl'>,
  { product, price, label, locale, returnUrl: chosen }: ButtonChoice,
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

/** Keeps the button's room free until the script has loaded, so that the text below does not move. */
const RESERVE =
  '  kassa-pay:not(:defined) { display: inline-block; min-width: min(100%, 275px); min-height: 48px; }\n'

function writeElement(channel: ChannelSettings, choice: ButtonChoice): string {
  return `<style>\n${RESERVE}${ruleOf(choice)}</style>\n${tagOf(channel, choice)}\n${scriptTag(channel, choice, [])}`
}

function writeScriptForm(channel: ChannelSettings, choice: ButtonChoice): string {
  const data = attributesOf(channel, choice).map(([name, value]): [string, string] => [`data-${name}`, value])
  return writeStyle(choice) + scriptTag(channel, choice, data)
}

function writeStyle(choice: ButtonChoice): string {
  const rule = ruleOf(choice)
  return rule && `<style>\n${rule}</style>\n`
}

function ruleOf(choice: ButtonChoice): string {
  const lines = themeOf(choice).map(([property, value]) => `    ${property}: ${value};\n`)
  return lines.length > 0 ? `  kassa-pay {\n${lines.join('')}  }\n` : ''
}

function tagOf(channel: ChannelSettings, choice: ButtonChoice): string {
  const { product } = choice
  return `${openTag('<kassa-pay', attributesOf(channel, choice))}>
  <a href="${escaped(product.payUrl)}" target="_top">${escaped(linkText(choice))}</a>
</kassa-pay>`
}

/** The link for buyers without JavaScript. Its target is `_top`, because the payment page refuses to load in a frame. */
function linkText({ product, price, label }: ButtonChoice): string {
  if (label) return label.includes('%s') ? label.replaceAll('%s', price ?? '').trim() : label
  return price === null ? product.name : `${product.name}, ${price}`
}

function scriptTag(channel: ChannelSettings, choice: ButtonChoice, data: [string, string][]): string {
  const { src, integrity } = scriptOf(channel, choice)
  const pins: [string, string][] = integrity
    ? [
        ['integrity', integrity],
        ['crossorigin', 'anonymous'],
      ]
    : []
  return `${openTag('<script async', [['src', src], ...pins, ...data])}></script>`
}

function scriptOf(
  { script }: ChannelSettings,
  { isPinned }: ButtonChoice,
): { src: string; integrity?: string } {
  return isPinned && script.pinned
    ? { src: script.pinned.scriptUrl, integrity: script.pinned.integrity }
    : { src: script.moving }
}

const LINE_CHARS = 100

/** Writes the tag on one line if the line is short enough, else with one attribute on each line. */
function openTag(start: string, attributes: [string, string][]): string {
  const parts = attributes.map(([name, value]) => `${name}="${escaped(value)}"`)
  const line = [start, ...parts].join(' ')
  return line.length <= LINE_CHARS ? line : [start, ...parts].join('\n  ')
}

/**
 * Wix puts pasted markup into a frame on another origin. So this form is for its custom element, whose fields are filled in one
 * by one and which accepts no hash. The link is for an ordinary button, on plans without custom elements.
 */
function writeFields(channel: ChannelSettings, choice: ButtonChoice): string {
  const attributes = [...attributesOf(channel, choice), ['endpoint', channel.apiOrigin]]
  const lines = attributes.map(([name, value]) => `  ${name}: ${oneLine(value ?? '')}`)
  const { src } = scriptOf(channel, choice)
  const link = `Or, as a button's link: ${choice.product.payUrl}`
  return `Server URL: ${src}\nTag Name: kassa-pay\nSet Attributes:\n${lines.join('\n')}\n${link}`
}

/** The element that Google Tag Manager's form puts the button into. */
const TAG_MANAGER_TARGET = '#kassa-button'

/**
 * Google Tag Manager removes data attributes from script tags and accepts no new JavaScript. So this form builds the script
 * element in old JavaScript, and the button appears in an element of the page.
 */
function writeTagManager(channel: ChannelSettings, choice: ButtonChoice): string {
  const { src, integrity } = scriptOf(channel, choice)
  const data = [...attributesOf(channel, choice), ['target', TAG_MANAGER_TARGET]]
  // Tag Manager replaces {{names}} everywhere, so braces are escaped too.
  const text = (value: string) => quoted(value).replaceAll(/[{}[\]]/g, unicodeEscape)
  const lines = [
    'script.async = true',
    `script.src = ${text(src)}`,
    ...(integrity ? [`script.integrity = ${text(integrity)}`, "script.crossOrigin = 'anonymous'"] : []),
    ...data.map(([name, value]) => `script.setAttribute('data-${name}', ${text(value ?? '')})`),
  ]
  return `${writeStyle(choice)}<script>
(function () {
  var script = document.createElement('script')
${lines.map((line) => `  ${line}\n`).join('')}  document.head.appendChild(script)
})()
</script>`
}

/** The properties of the script element, for a component that inserts it. */
function scriptObject(channel: ChannelSettings, choice: ButtonChoice): string {
  const { src, integrity } = scriptOf(channel, choice)
  const pins = integrity ? `, integrity: ${quoted(integrity)}, crossOrigin: 'anonymous'` : ''
  return `{ async: true, src: ${quoted(src)}${pins} }`
}

/** Several buttons on a page insert the script only once. */
const INSERT = `const tag = \`script[src="\${SCRIPT.src}"]\`
if (!document.querySelector(tag)) document.head.append(Object.assign(document.createElement('script'), SCRIPT))`

function writeReact(channel: ChannelSettings, choice: ButtonChoice): string {
  const attributes = attributesOf(channel, choice).map(
    ([name, value]) => `      ${name}={${quoted(value)}}\n`,
  )
  const style = themeOf(choice).map(([property, value]) => `${quoted(property)}: ${quoted(value)}`)
  const theme = style.length > 0 ? `      style={{ ${style.join(', ')} }}\n` : ''
  return `import { useEffect } from 'react'

const SCRIPT = ${scriptObject(channel, choice)}

export function PayButton() {
  useEffect(() => {
${INSERT.replaceAll(/^/gm, '    ')}
  }, [])
  return (
    <kassa-pay
${attributes.join('')}${theme}    >
      <a href={${quoted(choice.product.payUrl)}} target="_top">{${quoted(linkText(choice))}}</a>
    </kassa-pay>
  )
}`
}

function writeVue(channel: ChannelSettings, choice: ButtonChoice): string {
  const rule = ruleOf(choice).replaceAll(/^ {2}/gm, '')
  const tag = tagOf(channel, choice).replaceAll(/^/gm, '  ')
  return `<script setup>
// vite.config: vue({ template: { compilerOptions: { isCustomElement: (tag) => tag === 'kassa-pay' } } })${'\n'}import { onMounted } from 'vue'

const SCRIPT = ${scriptObject(channel, choice)}

onMounted(() => {
${INSERT.replaceAll(/^/gm, '  ')}
})
</script>

<template>
${tag}
</template>${rule && `\n\n<style>\n${rule}</style>`}`
}

/** A JavaScript string in single quotes. `<` is escaped, so the string can neither begin nor end a tag. */
function quoted(text: string): string {
  const inner = JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")
  return `'${inner.replaceAll(/[<\u2028\u2029]/g, unicodeEscape)}'`
}

function unicodeEscape(letter: string): string {
  return `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`
}

/**
 * Escapes markup, and the characters that platforms interpret: `{{` in Liquid, Vue and Tilda, and `[` in WordPress. As entities
 * they are plain characters.
 */
function escaped(text: string): string {
  return oneLine(text).replaceAll(/[&<>"'{}[\]]/g, (letter) => `&#${letter.charCodeAt(0)};`)
}

function oneLine(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: this expression finds control characters
  return text.replaceAll(/[\x00-\x1f\x7f\u2028\u2029]+/g, ' ')
}
