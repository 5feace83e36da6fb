/** What the documents say can be done: every command is parsed by the real parser, every setting and every link exists. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { lexer, type MarkedToken, type Token } from 'marked'
import { describe, expect, test } from 'vitest'
import { NOUNS, parseArguments } from '../admin/parser.ts'
import { listGuides } from '../documents/guides.ts'
import { plain, uniqueId } from '../documents/markdown.ts'
import { TOKEN_VARIABLE } from '../documents/reference/client-calls.ts'
import { KIT_FILES } from '../documents/reference/kits.ts'
import { referencePages } from '../documents/reference/pages.ts'
import { ENDPOINTS } from '../http/endpoints/index.ts'
import { openApiDocument, templateOf } from '../http/openapi/document.ts'
import { PROBE_PATHS } from '../probes.ts'
import { ROUTE_SETTING_NAMES } from '../settings/route-table.ts'
import { SETTINGS as TABLE } from '../settings/table.ts'
import { ENDED_SETTINGS } from '../settings/warnings.ts'
import { commandsOf, type ShellCommand } from '../testing/documents/shell-lines.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const SKIPPED = ['node_modules', 'test-results', 'playwright-report']
/** Names in capital letters that are not settings of the service. */
const OTHER_NAMES = [
  TOKEN_VARIABLE,
  ...Object.keys(ENDED_SETTINGS),
  // Of a shop.
  'KASSA_URL',
  'KASSA_WEBHOOK_SECRET',
  'KASSA_DATABASE',
  // Of a person, not of the service.
  'KASSA_OPERATOR_KEY',
  'KASSA_OPERATOR_KEY_FILE',
  'PROVIDER_CHECKOUT_URL',
  // Of the tests: the folder with the providers' documents.
  'SPECS_DIR',
  // Of the long tests: where the shop platforms are.
  'KASSA_PLATFORMS',
  'KASSA_WOOCOMMERCE',
  // Made-up settings of a driver, in the guide on adding one.
  'SECRET_KEY',
  'ROUTE_A_SECRET_KEY',
  // Tables of the sources, in the guides on adding a language and a currency.
  'BUTTON_LOCALES',
  'AMOUNT_PATTERN',
  // PayPal's words for a refusal of the account.
  'PAYEE_ACCOUNT_RESTRICTED',
  'PERMISSION_DENIED',
  // Fields and addresses of Idram's protocol.
  'EDP_REC_ACCOUNT',
  'EDP_BILL_NO',
  'EDP_EMAIL',
  'RESULT_URL',
  'SUCCESS_URL',
  'FAIL_URL',
  // Values of the compose file, not of the service.
  'SITE',
  'POSTGRES_PASSWORD',
  'KASSA_IMAGE',
]
/** Programs that the documents may call. */
const PROGRAMS = ['npm', 'npx', 'cd', 'curl', 'node', 'openssl', 'export', 'psql']
/** Programs of the machine, in the guides for whoever deploys the service. */
const MACHINE = [
  'cp',
  'install',
  'ln',
  'mv',
  'sha256sum',
  'tar',
  'useradd',
  'journalctl',
  'systemctl',
  'timedatectl',
  'podman',
  'runuser',
  'ssh-keygen',
  'certbot',
  'nginx',
  'df',
  'du',
  'sort',
  'tail',
]

/** The program of an archive, where the guides unpack it: the one in use, and one that was just unpacked. */
const LAUNCHER = /^\/opt\/(kassa(\.previous)?|\$\(basename kassa-\*-linux-x64\.tar\.gz \.tar\.gz\))\/kassa$/
/** The name of an archive or of the button's script with the version of a day. No version is 9.9.9. */
const DATED_NAME = /kassa-\d+\.|widget\/(?!9\.9\.9)\d+\./

/** Text in code style that names a setting, or gives it a value. */
const SETTING = /^([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+|[A-Z]+(?==))(?:=(\S+))?$/

type Code = { text: string; shell: boolean }
type Parsed = { file: string; codes: Code[]; spans: string[]; links: string[]; anchors: Set<string> }

function listDocuments(folder = ''): string[] {
  return readdirSync(join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (entry.isDirectory())
      return entry.name.startsWith('.') || SKIPPED.includes(entry.name) ? [] : listDocuments(path)
    return entry.name.endsWith('.md') ? [path] : []
  })
}

function parseDocument(file: string): Parsed {
  const parsed: Parsed = { file, codes: [], spans: [], links: [], anchors: new Set() }
  walk(lexer(readFileSync(join(ROOT, file), 'utf8')), parsed)
  return parsed
}

function walk(tokens: Token[], parsed: Parsed): void {
  for (const token of tokens as MarkedToken[]) {
    if (token.type === 'code') parsed.codes.push({ text: token.text, shell: token.lang === 'sh' })
    if (token.type === 'codespan') parsed.spans.push(token.text)
    if (token.type === 'link' || token.type === 'image') parsed.links.push(token.href)
    if (token.type === 'heading') uniqueId(plain(token.tokens), parsed.anchors)
    if (token.type === 'list') for (const item of token.items) walk(item.tokens, parsed)
    if (token.type === 'table')
      for (const cell of [...token.header, ...token.rows.flat()]) walk(cell.tokens, parsed)
    if ('tokens' in token && token.tokens) walk(token.tokens, parsed)
  }
}

const documents = listDocuments().map(parseDocument)
const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  scripts: Record<string, string>
}
const reference = referencePages(openApiDocument('https://pay.example'))
const SERVED = [
  '/docs',
  '/docs/search',
  ...[...reference, ...listGuides().map(({ name }) => ({ path: `/docs/${name}` }))].map(({ path }) => path),
]

/** The settings' schemas by name; null where a driver judges the value. */
const SETTINGS = new Map<string, { safeParse(value: string): { success: boolean } } | null>([
  ...Object.values(TABLE).map(({ name, schema }) => [name, schema] as const),
  ...ROUTE_SETTING_NAMES.map((name) => [name, null] as const),
])

/** Why the setting, or its value, is not one; null when all is well. */
function settingFault(name: string, value?: string): string | null {
  if (OTHER_NAMES.includes(name)) return null
  if (!SETTINGS.has(name)) return `${name} is not a setting`
  const schema = SETTINGS.get(name)
  if (!schema || value === undefined || value.includes('...') || value.includes('$')) return null
  return schema.safeParse(value).success ? null : `${name}=${value} is not a value of this setting`
}

/** Why the command cannot run as it stands; null when it can. */
function commandFault({ settings, words, text }: ShellCommand): string | null {
  const faults = settings.map(([name, value]) => settingFault(name, value)).filter(Boolean)
  if (faults.length > 0) return `${text}: ${faults.join(', ')}`
  const [program = '', ...rest] = words
  // A value to set, and nothing to run.
  if (program === '' && settings.length > 0) return null
  if (LAUNCHER.test(program)) return launcherFault(rest)
  if (![...PROGRAMS, ...MACHINE].includes(program))
    return `${text}: ${program} is no program that the documents may call`
  const fault = CHECKS.get(program)?.(rest) ?? null
  return fault && `${text}: ${fault}`
}

function npmFault(words: string[]): string | null {
  const [verb = '', ...rest] = words.filter((word) => word !== '-s')
  // In a project of a shop, whose packages are not ours.
  if (verb === 'ci' || verb === 'install') return null
  if (verb === 'pack') return packFault(rest)
  const [name = '', dashes, ...args] = verb === 'run' ? rest : [verb, ...rest]
  if (scripts[name] === undefined) return `there is no script ${name} in package.json`
  if (name !== 'admin') return null
  if (dashes !== '--') return '-- is missing before the command'
  // A sentence may name how every command begins.
  return args.length === 0 ? null : adminFault(args)
}

function packFault(words: string[]): string | null {
  const folders = words.filter((word) => word.startsWith('./'))
  const missing = folders.find((folder) => !existsSync(join(ROOT, folder, 'package.json')))
  return missing === undefined ? null : `${missing} is no package`
}

function launcherFault([command = '', ...args]: string[]): string | null {
  if (command === 'admin') return adminFault(args)
  return ['start', 'doctor', 'upgrade', 'back', 'compile', 'version'].includes(command)
    ? null
    : `kassa has no command ${command}`
}

function adminFault(args: string[]): string | null {
  try {
    const printed: string[] = []
    const run = parseArguments(args, { out: (text) => printed.push(text), err: () => {} })
    return run || printed.length > 0 ? null : 'it does nothing'
  } catch (error) {
    return (error as Error).message
  }
}

/** An address of the service has an endpoint behind it. */
function curlFault(words: string[]): string | null {
  const address = words.find((word) => word.startsWith('http://localhost'))
  if (!address) return null
  const path = new URL(address).pathname
  if (PROBE_PATHS.includes(path)) return null
  const known = ENDPOINTS.some((each) =>
    new RegExp(`^${templateOf(each.path).replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path),
  )
  return known ? null : `there is no endpoint ${path}`
}

function nodeFault([file = '']: string[]): string | null {
  const places = [file, join('server/clients/pages', file)]
  return places.some((place) => existsSync(join(ROOT, place))) ? null : `there is no file ${file}`
}

const CHECKS = new Map([
  ['npm', npmFault],
  ['npx', ([program, ...rest]: string[]) => (program === 'node' ? nodeFault(rest) : `npx ${program}`)],
  ['curl', curlFault],
  ['node', nodeFault],
])

/** A command that a sentence names, such as `event replay --latest`. */
function namedCommandFault(text: string): string | null {
  const [nounName, verbName = '', ...rest] = text.split(' ')
  const noun = NOUNS.find(({ name }) => name === nounName)
  if (!noun || !/^[a-z-]+$/.test(verbName)) return null
  const verb = noun.verbs.find(({ name }) => name === verbName)
  if (!verb) return `${text}: ${nounName} has no verb ${verbName}`
  const flags = Object.keys(verb.flags).map(
    (name) => `--${name.replaceAll(/[A-Z]/g, (at) => `-${at.toLowerCase()}`)}`,
  )
  const strange = rest.find((word) => word.startsWith('--') && !flags.includes(word) && word !== '--json')
  return strange ? `${text}: there is no flag ${strange}` : null
}

function linkFault({ file, anchors }: Parsed, href: string): string | null {
  if (/^https?:/.test(href)) return null
  const [target = '', anchor] = href.split('#')
  const path = target === '' ? file : relative(ROOT, join(ROOT, dirname(file), target))
  if (!existsSync(join(ROOT, path))) return `${href}: there is no file ${path}`
  const known = path === file ? anchors : documents.find((each) => each.file === path)?.anchors
  return anchor === undefined || known?.has(anchor)
    ? null
    : `${href}: there is no heading #${anchor} in ${path}`
}

describe.each(documents)('$file', (document) => {
  const { codes, spans, links } = document
  test('every command runs as it stands', () => {
    const shell = codes.filter(({ shell }) => shell).flatMap(({ text }) => commandsOf(text))
    const inline = spans.filter((span) => /^(npm|[A-Z_]+=\S+) /.test(span)).flatMap(commandsOf)
    expect([...shell, ...inline].map(commandFault).filter(Boolean)).toEqual([])
    expect(spans.map(namedCommandFault).filter(Boolean)).toEqual([])
  })

  test('every setting exists', () => {
    const faults = spans.map((span) => {
      const [, name, value] = SETTING.exec(span) ?? []
      return name === undefined ? null : settingFault(name, value)
    })
    expect(faults.filter(Boolean)).toEqual([])
  })

  test('every link leads somewhere', () => {
    expect(links.map((href) => linkFault(document, href)).filter(Boolean)).toEqual([])
    const pages = spans.filter((span) => span.startsWith('/docs')).map((span) => span.split('#')[0] ?? '')
    expect(pages.filter((path) => !SERVED.includes(path))).toEqual([])
  })
})

test('the guide on receiving events offers every file of every kit and client', () => {
  const { links = [] } = documents.find(({ file }) => file === 'server/guides/receiving-events.md') ?? {}
  for (const { file } of KIT_FILES) expect(links).toContain(`../clients/${file}`)
})

test('no document names an archive or a script by the version of a day', () => {
  const named = documents.flatMap(({ file }) =>
    readFileSync(join(ROOT, file), 'utf8')
      .split('\n')
      .flatMap((line, index) => (DATED_NAME.test(line) ? [`${file}:${index + 1}`] : [])),
  )
  expect(named).toEqual([])
})

test('a broken command, setting and link are found', () => {
  const faults = commandsOf(
    'npm run -s admin -- payment shwo --payment pay_1\nMODE=lvie npm start\nnpm run nothing\nnpm pack ./nothing\nnpx nothing',
  )
  expect(faults.map(commandFault).filter(Boolean)).toHaveLength(5)
  expect(namedCommandFault('event replay --newest')).toContain('--newest')
  expect(settingFault('BASE_ULR')).toContain('BASE_ULR')
  const [document] = documents
  if (document) expect(linkFault(document, 'nowhere.md')).toContain('nowhere.md')
})
