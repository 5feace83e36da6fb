/**
 * The guides: Markdown files of this project, shown at /docs/<name>. The list comes from the folder, so a new file needs no
 * line here. A line in READERS sets the guide's group and position. The guides for shop owners are in `shop/<language>`, and the files
 * of one guide have the same name in each language.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { LANGUAGES, type Language } from '../contract/languages.ts'
import { markOf } from '../http/docs/built.ts'
import { type MarkdownText, readMarkdown } from './markdown.ts'
import { WRITTEN_ORIGIN } from './sources.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const FOLDER = 'server/guides'

/** What the guides for shop owners are about, in the order of the contents. */
const SHOP_GUIDES = ['link', 'poster', 'packing', 'refund', 'go-live']
const forOwners = (locale: Language, title: string): Reader => ({
  title,
  weight: 1.5,
  guides: SHOP_GUIDES.map((name) => `shop/${locale}/${name}`),
})

/**
 * A group of the contents: who reads its guides. `weight`: how far its guides come first among the results of a search. Owners have
 * only everyday words, and developers also search for names of the interface. What few people read comes after what many read.
 * `isServedHere`: the commands in its guides go to this very service, not to the reader's own.
 */
type Reader = { title: string; weight: number; guides: string[]; isServedHere?: boolean }
const READERS: Reader[] = [
  {
    title: 'For a shop’s developer',
    weight: 1,
    isServedHere: true,
    guides: [
      'getting-started',
      'clients',
      'receiving-events',
      'testing',
      'compatibility',
      'woocommerce',
      'vendure',
      'medusa',
    ],
  },
  // A language of the folder `shop` has a row here.
  forOwners('en', 'For shop owners'),
  forOwners('hy', 'Խանութի տիրոջ համար'),
  forOwners('ru', 'Владельцу магазина'),
  { title: 'For a site’s builder', weight: 1, guides: ['button', 'products', 'branding'] },
  {
    title: 'For whoever runs the service',
    weight: 0.8,
    guides: [
      'going-live',
      'deploying',
      'upgrading',
      'backup',
      'monitoring',
      'incidents',
      'operating',
      'books',
      'operators',
      'console',
      'order-book',
      'accounts',
      'proving-an-account',
      'stripe',
      'paypal',
      'rbs',
      'ameria',
      'idram',
      'bank-transfers',
      'settings',
      'costs',
      'performance',
    ],
  },
  { title: 'For auditors', weight: 0.6, guides: ['security', 'pci-dss', 'asvs'] },
  {
    title: 'For those who change Kassa',
    weight: 0.4,
    guides: [
      'how-it-is-built',
      'project-tests',
      'tables',
      'decisions',
      'service-decisions',
      'libraries',
      'adding-a-driver',
      'driver-protocols',
      'provider-words',
      'adding-a-language',
      'adding-a-currency',
      'changelog',
      'earlier-changes',
    ],
  },
]
/** A file that no group names is listed last in this one. */
const OTHERS = READERS.findIndex(({ guides }) => guides.includes('operating'))

/** Files in other folders that are guides too. A file that does not exist is left out. */
const ELSEWHERE: Record<string, { file: string; title?: string }> = {
  button: { file: 'widget/README.md', title: 'The button' },
  clients: { file: 'server/clients/README.md' },
  woocommerce: { file: 'server/plugins/woocommerce/README.md' },
  vendure: { file: 'server/plugins/vendure/README.md' },
  medusa: { file: 'server/plugins/medusa/README.md' },
  'how-it-is-built': { file: 'server/README.md' },
  changelog: { file: 'CHANGELOG.md' },
}

/** Folders whose files this server serves, and their addresses. */
const SERVED_FOLDERS = [
  ['public/', '/'],
  ['server/clients/', '/docs/clients/'],
] as const

export type GuideFile = {
  name: string
  file: string
  group: string
  locale: Language
  weight: number
  isServedHere: boolean
  title?: string
}
export type Guide = GuideFile & MarkdownText & { title: string; path: string }

/** The files and folders that the guides are read from. */
export const guideSources = (root: string): string[] => [
  `${FOLDER}/`,
  ...Object.values(ELSEWHERE)
    .map(({ file }) => file)
    .filter((file) => existsSync(join(root, file))),
]

const guidePath = (name: string): string => `/docs/${name}`

/** Returns every guide that exists, in the order of the contents. */
export function listGuides(root = ROOT): GuideFile[] {
  const own = readdirSync(join(root, FOLDER), { encoding: 'utf8', recursive: true })
    .filter((file) => file.endsWith('.md'))
    .map((file) => ({ name: file.slice(0, -'.md'.length), file: `${FOLDER}/${file}` }))
  const others = Object.entries(ELSEWHERE)
    .filter(([, { file }]) => existsSync(join(root, file)))
    .map(([name, about]) => ({ name, ...about }))
  const all = [...own.sort((left, right) => left.name.localeCompare(right.name)), ...others].map((each) => {
    const named = READERS.findIndex(({ guides }) => guides.includes(each.name))
    const reader = named === -1 ? OTHERS : named
    const { title: group = '', weight = 1, guides = [], isServedHere = false } = READERS[reader] ?? {}
    const place = named === -1 ? guides.length : guides.indexOf(each.name)
    return { reader, place, guide: { ...each, group, weight, isServedHere, locale: localeOf(each.name) } }
  })
  return all
    .sort((one, other) => one.reader - other.reader || one.place - other.place)
    .map(({ guide }) => guide)
}

/** Returns the language of `shop/<language>/...`. Every other guide is in English. */
function localeOf(name: string): Language {
  const [, locale] = /^shop\/(\w+)\//.exec(name) ?? []
  return (Object.keys(LANGUAGES) as Language[]).find((each) => each === locale) ?? 'en'
}

/** Returns the same guide in the other languages. */
export function translationsOf({ name, locale }: Guide, all: Guide[]): Guide[] {
  const topicOf = (each: string) => each.replace(/^shop\/\w+\//, 'shop/')
  return all.filter((each) => topicOf(each.name) === topicOf(name) && each.locale !== locale)
}

/** Reads every guide. `isServed`: returns whether an address under /docs has a page. */
export function readGuides(isServed: (path: string) => boolean, root = ROOT): Guide[] {
  const files = listGuides(root)
  return files.map((about) => {
    const written = readFileSync(join(root, about.file), 'utf8')
    const text = about.isServedHere ? written.replaceAll(WRITTEN_ORIGIN, markOf('baseUrl')) : written
    const document = readMarkdown(text, (href) => addressOf(href, about.file, files, isServed))
    return { ...document, ...about, title: about.title ?? document.title, path: guidePath(about.name) }
  })
}

/** Returns the address of a link in `from` on this server. Returns null for a file of the project that is not served. */
function addressOf(
  href: string,
  from: string,
  files: GuideFile[],
  isServed: (path: string) => boolean,
): string | null {
  if (href.startsWith('#')) return href
  if (/^https?:\/\//.test(href)) return href
  const [target = '', anchor] = href.split('#')
  const hash = anchor === undefined ? '' : `#${anchor}`
  if (target.startsWith('/docs')) return isServed(target) ? href : null
  const path = relative(ROOT, join(ROOT, dirname(from), target))
  const guide = files.find(({ file }) => file === path)
  if (guide) return `${guidePath(guide.name)}${hash}`
  const served = SERVED_FOLDERS.find(([folder]) => path.startsWith(folder))
  return served ? `${served[1]}${path.slice(served[0].length)}` : null
}
