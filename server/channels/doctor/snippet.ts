/**
 * Checks a snippet as it stands in a page, for the mistakes that people make when they copy it from the install page. It reads
 * markup and components, and judges only what the text contains.
 */
import { Parser } from 'htmlparser2'
import type { ChannelSettings } from '../settings.ts'
import { bad, type Finding, good, note } from './finding.ts'

const TEXT_MAX_CHARS = 12_000
const NAMED_MAX = 20

type Attributes = Map<string, string>
type Tag = { name: string; attributes: Attributes; hasCurlyQuotes: boolean }
type Snippet = {
  text: string
  /** The attributes of the button, without `data-` if the script tag has them. Null if there is no button. */
  button: Attributes | null
  hasCurlyQuotes: boolean
  isScriptForm: boolean
  isInHead: boolean
  isModule: boolean
  scriptUrl: string | null
  integrity: string | null
}

export type SnippetDiagnosis = { findings: Finding[]; returnUrl: string }

/**
 * `text`: the button's tag and its script, or the whole page. Only the first TEXT_MAX_CHARS are read. The returned `returnUrl`
 * is empty if the snippet has none.
 */
export function diagnoseSnippet(text: string, channel: ChannelSettings): SnippetDiagnosis {
  const snippet = readSnippet(text.slice(0, TEXT_MAX_CHARS))
  const faults = FAULTS.flatMap((find) => find(snippet, channel))
  const stops = faults.some(({ weight }) => weight === 'bad')
  return {
    findings: [
      ...(text.length > TEXT_MAX_CHARS ? [note('snippetCut', { max: TEXT_MAX_CHARS })] : []),
      ...(stops ? faults : [good('snippetFine'), ...faults]),
    ],
    returnUrl: snippet.button?.get('return-url') ?? '',
  }
}

/** Returns the product that the snippet names. Empty if it names none that can be read. */
export const productIn = (text: string): string =>
  readValue(readSnippet(text.slice(0, TEXT_MAX_CHARS)), 'product-id') ?? ''

/** The tags that the parser reads. In a component's code any other `<` may mean "less than". */
const OTHER_LESS_THAN = /<(?!\/?(?:kassa-pay|script|head|body)\b|!--)/gi
/** A component's `name={'text'}`, which markup writes as `name="text"`. */
const JSX_TEXT = /=\s*\{\s*(?:'([^'"]*)'|"([^'"]*)")\s*\}/g
/** The button as lines of `name: value`, for platforms whose forms accept no markup. */
const FIELD = /^ *([a-z]+(?:-[a-z]+)*): (.+)$/gm
/** One attribute in the code for Google Tag Manager, which builds the script tag. */
const SET_ATTRIBUTE = /setAttribute\('data-([a-z-]{1,40})', '((?:[^'\\]|\\.){0,2000})'\)/g
const CURLY_QUOTES = /[\u00ab\u00bb\u2018-\u201f\u2033]/

/** Tells the parser that no element has an end tag, because its list of open elements would take quadratic time. */
class TagParser extends Parser {
  protected override isVoidElement = () => true
}

function readTags(text: string): Tag[] {
  const tags: Tag[] = []
  let hasCurlyQuotes = false
  const parser = new TagParser({
    onattribute(name, value, quote) {
      // Inside straight quotes they are part of the label.
      if (!quote && CURLY_QUOTES.test(name + value)) hasCurlyQuotes = true
    },
    onopentag(name, attributes) {
      tags.push({ name, attributes: new Map(Object.entries(attributes)), hasCurlyQuotes })
      hasCurlyQuotes = false
    },
  })
  parser.end(text.replaceAll(OTHER_LESS_THAN, '&lt;').replaceAll(JSX_TEXT, '="$1$2"'))
  return tags
}

function readSnippet(text: string): Snippet {
  const tags = readTags(text)
  const scripts = tags.filter(({ name }) => name === 'script')
  const element = tags.find(({ name }) => name === 'kassa-pay')
  const script = scripts.find(({ attributes }) =>
    [...attributes.keys()].some((key) => key.startsWith('data-p')),
  )
  const before = tags.slice(0, script && tags.indexOf(script)).map(({ name }) => name)
  return {
    text,
    button:
      element?.attributes ??
      (script ? withoutPrefix(script.attributes) : (readFields(text) ?? readCode(text))),
    hasCurlyQuotes: [element, ...scripts].some((tag) => tag?.hasCurlyQuotes),
    isScriptForm: !element && script !== undefined,
    isInHead: before.includes('head') && !before.includes('body'),
    isModule: scripts.some(
      ({ attributes }) => attributes.get('type') === 'module' && attributes.get('src')?.includes('kassa.js'),
    ),
    scriptUrl: findScriptUrl(text),
    integrity: /sha(?:256|384|512)-[a-z0-9+/=]+/i.exec(text)?.[0] ?? null,
  }
}

/** Finds the script's address in markup, in code or in a field. It reads word by word, because one expression over the whole
 * text takes quadratic time. */
function findScriptUrl(text: string): string | null {
  for (const word of text.split(/[\s"'<>\u2018-\u201f]+/)) {
    const start = word.search(/https?:\/\//i)
    const end = word.lastIndexOf('/kassa.js')
    if (start >= 0 && end > start) return word.slice(start, end + '/kassa.js'.length)
  }
  return null
}

function readFields(text: string): Attributes | null {
  const fields = new Map([...text.matchAll(FIELD)].map(([, name = '', value = '']) => [name, value]))
  return fields.has('public-key') ? fields : null
}

function readCode(text: string): Attributes | null {
  const fields = new Map(
    [...text.matchAll(SET_ATTRIBUTE)].map(([, name = '', value = '']) => [name, plain(value)]),
  )
  return fields.has('public-key') ? fields : null
}

/** Returns the text of a JavaScript string in single quotes, or the source itself if it is not valid. */
function plain(source: string): string {
  try {
    return JSON.parse(`"${source.replaceAll("\\'", "'").replaceAll('"', '\\"')}"`)
  } catch {
    return source
  }
}

function withoutPrefix(attributes: Attributes): Attributes {
  return new Map([...attributes].map(([name, value]) => [name.replace(/^data-/, ''), value]))
}

type FindFaults = (snippet: Snippet, channel: ChannelSettings) => Finding[]

/** In the order in which a site builder fixes them. A check finds nothing if the part that it checks is missing. */
const FAULTS: FindFaults[] = [
  findSecret,
  findText,
  findKey,
  findProduct,
  findScript,
  findPlace,
  findServer,
  findHash,
]

/** The finding never repeats the secret, because it may be shown on a page. */
function findSecret({ text }: Snippet): Finding[] {
  return /ksk_(?:sandbox|live)_|whsec_/.test(text) ? [bad('snippetSecret')] : []
}

function findText({ text, button, hasCurlyQuotes }: Snippet): Finding[] {
  if (!button) return [bad(/&lt;(?:kassa-pay|script)/i.test(text) ? 'snippetEscaped' : 'snippetNone')]
  return hasCurlyQuotes ? [bad('snippetQuotes')] : []
}

/** Returns null if the value cannot be read. With curly quotes the parser ends a value at its first space. */
function readValue({ button, hasCurlyQuotes }: Snippet, name: string): string | null {
  return button && !hasCurlyQuotes ? (button.get(name) ?? '').trim() : null
}

function findKey(snippet: Snippet, { publicKey }: ChannelSettings): Finding[] {
  const given = readValue(snippet, 'public-key')
  if (given === null || given === publicKey) return []
  if (given === '') return [bad('snippetLacks', { name: 'public-key' })]
  // A value that is not a public key may be a secret, so the finding does not repeat it.
  return [bad('snippetKey', { given: given.startsWith('kpk_') ? given : '…', publicKey })]
}

function findProduct(snippet: Snippet, { products }: ChannelSettings): Finding[] {
  const given = readValue(snippet, 'product-id')
  if (given === null || products.some(({ id }) => id === given)) return []
  if (given === '') return [bad('snippetLacks', { name: 'product-id' })]
  const named = products.slice(0, NAMED_MAX).map(({ id }) => id)
  const more = products.length > NAMED_MAX ? ['…'] : []
  return [bad('snippetProduct', { given, products: [...named, ...more].join(', ') || '—' })]
}

function findScript(
  { button, isScriptForm, isModule, scriptUrl }: Snippet,
  { script }: ChannelSettings,
): Finding[] {
  if (!button) return []
  if (scriptUrl === null) return [bad('snippetNoScript', { script: script.moving })]
  return isModule && (isScriptForm || !button.has('endpoint')) ? [bad('snippetModule')] : []
}

/** A tag in `<head>` is noticed only if the head was pasted too. */
function findPlace({ button, isScriptForm, isInHead }: Snippet): Finding[] {
  if (!isScriptForm || button?.has('target')) return []
  return [(isInHead ? bad : note)('snippetHead')]
}

function findServer(snippet: Snippet, { apiOrigin }: ChannelSettings): Finding[] {
  const others = [snippet.scriptUrl, readValue(snippet, 'endpoint')].filter(
    (each): each is string => !!each && (!URL.canParse(each) || new URL(each).origin !== apiOrigin),
  )
  return others.slice(0, 1).map((given) => bad('snippetServer', { given, server: apiOrigin }))
}

function findHash({ text, scriptUrl, integrity }: Snippet, { script }: ChannelSettings): Finding[] {
  const { pinned, versions } = script
  if (!scriptUrl || !pinned) return []
  const [, version = ''] = /\/widget\/([^/]+)\/kassa\.js$/.exec(scriptUrl) ?? []
  const values = { given: version, version: pinned.version, versions }
  if (version !== pinned.version && version !== 'v1')
    return [integrity === pinned.integrity ? bad('snippetHash', values) : note('snippetOlder', values)]
  if (integrity === null) return []
  return [
    ...(integrity === pinned.integrity ? [] : [bad('snippetHash', values)]),
    ...(version === 'v1' ? [note('snippetHashMoving')] : []),
    ...(/crossorigin/i.test(text) ? [] : [bad('snippetCrossOrigin')]),
  ]
}
