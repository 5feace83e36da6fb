/** Writes the button as code: for Google Tag Manager, and as a component of React and of Vue. */
import {
  attributesOf,
  type ButtonChoice,
  linkText,
  ruleOf,
  scriptOf,
  tagOf,
  themeOf,
  writeStyle,
} from './button.ts'
import type { ChannelSettings } from './settings.ts'

/** The element that Google Tag Manager's form puts the button into. */
const TAG_MANAGER_TARGET = '#kassa-button'

/**
 * Google Tag Manager removes data attributes from script tags and accepts no new JavaScript. So this form builds the script
 * element in old JavaScript, and the button appears in an element of the page.
 */
export function writeTagManager(channel: ChannelSettings, choice: ButtonChoice): string {
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

export function writeReact(channel: ChannelSettings, choice: ButtonChoice): string {
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

export function writeVue(channel: ChannelSettings, choice: ButtonChoice): string {
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
