/**
 * The guides: Markdown files of this project, shown at /docs/<name>. The list comes from the folder, so a new file needs no
 * line here. A line in ORDER only sets the guide's position. The guides for shop owners are in `shop/<language>`, and the files
 * of one guide have the same name in each language.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { LANGUAGES, type Language } from '../contract/languages.ts'
import { type MarkdownText, readMarkdown } from './markdown.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const FOLDER = 'server/guides'

/** What the guides for shop owners are about, in the order of the contents. */
const SHOP_GUIDES = ['link', 'poster', 'packing', 'refund', 'go-live']
/** The name of their group in each language that has them. The folder `shop` has a folder for each. */
const SHOP_GROUPS = {
  en: 'For shop owners',
  hy: 'Խանութի տիրոջ համար',
  ru: 'Владельцу магазина',
} as const satisfies Partial<Record<Language, string>>
type ShopGroup = (typeof SHOP_GROUPS)[keyof typeof SHOP_GROUPS]
const shopGroups = Object.fromEntries(
  Object.entries(SHOP_GROUPS).map(([locale, group]) => [
    group,
    SHOP_GUIDES.map((name) => `shop/${locale}/${name}`),
  ]),
) as Record<ShopGroup, string[]>

/** The groups in their order. A file that no group names is listed last, in the group `OTHERS`. */
const ORDER = {
  'Get started': ['getting-started', 'testing'],
  ...shopGroups,
  'In a shop': ['button', 'products', 'branding', 'order-book', 'receiving-events', 'compatibility'],
  'Run the service': [
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
    'accounts',
    'stripe',
    'paypal',
    'bank-transfers',
    'settings',
    'security',
    'pci-dss',
    'costs',
    'asvs',
    'performance',
  ],
  'Change Kassa': [
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
}
type Group = keyof typeof ORDER
const OTHERS: Group = 'Run the service'

/** Files in other folders that are guides too. A file that does not exist is left out. */
const ELSEWHERE: Record<string, { file: string; title?: string }> = {
  button: { file: 'widget/README.md', title: 'The button' },
  'how-it-is-built': { file: 'server/README.md' },
  changelog: { file: 'CHANGELOG.md' },
}

/** Folders whose files this server serves, and their addresses. */
const SERVED_FOLDERS = [
  ['public/', '/'],
  ['server/documents/reference/kits/', '/docs/kits/'],
] as const

export type GuideFile = {
  name: string
  file: string
  group: Group
  locale: Language
  forOwners: boolean
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
  const known = Object.entries(ORDER).flatMap(([group, names]) =>
    names.map((name) => ({ name, group: group as Group })),
  )
  const placeOf = (name: string) => known.findIndex((each) => each.name === name)
  const all = [...own.sort((left, right) => left.name.localeCompare(right.name)), ...others]
  const groups = Object.keys(ORDER) as Group[]
  return all
    .map((each) => ({
      ...each,
      group: known[placeOf(each.name)]?.group ?? OTHERS,
      locale: localeOf(each.name),
      forOwners: each.name.startsWith('shop/'),
    }))
    .sort(
      (left, right) =>
        groups.indexOf(left.group) - groups.indexOf(right.group) || rank(left.name) - rank(right.name),
    )

  function rank(name: string): number {
    return placeOf(name) === -1 ? known.length : placeOf(name)
  }
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
    const text = readFileSync(join(root, about.file), 'utf8')
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
