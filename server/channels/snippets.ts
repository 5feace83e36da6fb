/** Writes the pay button as text to paste, in the form that each platform accepts. */
import {
  attributesOf,
  type ButtonChoice,
  oneLine,
  openTag,
  ruleOf,
  scriptOf,
  tagOf,
  themeOf,
  writeStyle,
} from './button.ts'
import type { ChannelSettings } from './settings.ts'
import { writeReact, writeTagManager, writeVue } from './snippet-code.ts'

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

type Writer = (channel: ChannelSettings, choice: ButtonChoice) => string

const WRITERS: Record<Platform, Writer> = {
  html: writeElement,
  script: writeScriptForm,
  wordpress: writeStyledElement,
  woocommerce: writeStyledElement,
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

/** Keeps the button's room free until the script has loaded, so that the text below does not move. */
const ROOM = 'display: inline-block; min-width: min(100%, 275px); min-height: 48px;'
const RESERVE = `  kassa-pay:not(:defined) { ${ROOM} }\n`

function writeElement(channel: ChannelSettings, choice: ButtonChoice): string {
  return `<style>\n${RESERVE}${ruleOf(choice)}</style>\n${tagOf(channel, choice)}\n${scriptTag(channel, choice, [])}`
}

/**
 * WordPress removes the tags of a style element that an author without the right to scripts has pasted, and shows its text to
 * every visitor. With the style in an attribute, the link is all that stays.
 * Its themes give the column of the text to blocks alone, so the button is in a paragraph.
 */
function writeStyledElement(channel: ChannelSettings, choice: ButtonChoice): string {
  const style = [ROOM, ...themeOf(choice).map(([property, value]) => `${property}: ${value};`)].join(' ')
  return `<p>${tagOf(channel, choice, [['style', style]])}</p>\n${scriptTag(channel, choice, [])}`
}

function writeScriptForm(channel: ChannelSettings, choice: ButtonChoice): string {
  const data = attributesOf(channel, choice).map(([name, value]): [string, string] => [`data-${name}`, value])
  return writeStyle(choice) + scriptTag(channel, choice, data)
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

/**
 * Wix puts pasted markup into a frame on another origin. So this form is for its custom element, whose fields are filled in one
 * by one and which accepts no hash. The link is for an ordinary button, on plans without custom elements.
 */
function writeFields(channel: ChannelSettings, choice: ButtonChoice): string {
  const lines = attributesOf(channel, choice).map(([name, value]) => `  ${name}: ${oneLine(value)}`)
  const { src } = scriptOf(channel, choice)
  const link = `Or, as a button's link: ${choice.product.payUrl}`
  return `Server URL: ${src}\nTag Name: kassa-pay\nSet Attributes:\n${lines.join('\n')}\n${link}`
}
