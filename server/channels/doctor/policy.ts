/**
 * Checks a page's Content-Security-Policy: whether the widget's script may load and may send its requests. It reads only the
 * header. If the result depends on a nonce or hash in the page, a note says so.
 */
import { bad, type Finding, good, note } from './finding.ts'

const TEXT_MAX_CHARS = 8_000
const POLICIES_MAX = 10
const KNOWN =
  /^(?:[a-z]+(?:-[a-z]+)*-(?:src|uri|action|ancestors|elem|attr|to|requests|types|for)|sandbox|block-all-mixed-content)$/

type Policy = Map<string, string[]>
type NeededSources = { scriptUrl: string; apiOrigin: string; pageOrigin: string }

/** `text`: the header's value, with or without its name. Commas or lines separate several policies, and all of them apply. */
export function diagnosePolicy(text: string, wanted: NeededSources): Finding[] {
  const policies = parsePolicies(text.slice(0, TEXT_MAX_CHARS))
  if (policies.length === 0) return [bad('policyUnreadable')]
  return policies.flatMap((policy, index) => {
    const number = String(index + 1)
    return [
      ...checkSandbox(policy, number),
      ...checkScript(policy, number, wanted),
      ...checkConnection(policy, number, wanted),
      ...checkTypes(policy, number),
      ...checkStyle(policy, number),
    ]
  })
}

function parsePolicies(text: string): Policy[] {
  const lines = text.split(/[\r\n]+/).map((line) => line.replace(/^\s*content-security-policy\s*:/i, ''))
  // A pasted policy may be wrapped over several lines. Only a line without a semicolon at its end ends a policy.
  const joined = lines.join('\n').replaceAll(/;\s*\n/g, '; ')
  return joined
    .split(/[,\n]/)
    .slice(0, POLICIES_MAX)
    .map(parsePolicy)
    .filter((policy) => [...policy.keys()].some((name) => KNOWN.test(name)))
}

/** If a directive appears twice, the first one counts. */
function parsePolicy(text: string): Policy {
  const policy: Policy = new Map()
  for (const part of text.split(';')) {
    const [name = '', ...values] = part.trim().split(/\s+/)
    if (name && !policy.has(name.toLowerCase())) policy.set(name.toLowerCase(), values)
  }
  return policy
}

/** Returns the directive that applies. Browsers fall back from one to the next in this order. */
function effective(policy: Policy, names: string[]): { directive: string; sources: string[] } | null {
  const directive = names.find((name) => policy.has(name))
  return directive === undefined ? null : { directive, sources: policy.get(directive) ?? [] }
}

function checkScript(policy: Policy, number: string, { scriptUrl, pageOrigin }: NeededSources): Finding[] {
  const found = effective(policy, ['script-src-elem', 'script-src', 'default-src'])
  if (!found) return [good('policyUnset', { number, directive: 'script-src' })]
  const { directive, sources } = found
  const source = new URL(scriptUrl).origin
  const values = { number, directive, source }
  const hasNonce = sources.some((each) => /^'nonce-/i.test(each))
  if (sources.some((each) => /^'strict-dynamic'$/i.test(each))) return [note('policyStrictDynamic', values)]
  if (sources.some((each) => allows(each, scriptUrl, pageOrigin))) return [good('policyScriptFine', values)]
  if (hasNonce) return [note('policyNonce', values)]
  return [bad(directive === 'script-src-elem' ? 'policyScriptElem' : 'policyScriptBlocked', values)]
}

function checkConnection(
  policy: Policy,
  number: string,
  { apiOrigin, pageOrigin }: NeededSources,
): Finding[] {
  const found = effective(policy, ['connect-src', 'default-src'])
  if (!found) return [good('policyUnset', { number, directive: 'connect-src' })]
  const { directive, sources } = found
  const isAllowed = sources.some((each) => allows(each, `${apiOrigin}/api/widget/checkout`, pageOrigin))
  return [
    isAllowed
      ? good('policyConnectFine', { number, directive })
      : bad('policyConnectBlocked', { number, directive, source: apiOrigin }),
  ]
}

function checkTypes(policy: Policy, number: string): Finding[] {
  if (!policy.has('require-trusted-types-for')) return []
  return [good('policyTypesFine', { number }), note('policyTypesInserted', { number })]
}

function checkStyle(policy: Policy, number: string): Finding[] {
  const found = effective(policy, ['style-src-elem', 'style-src', 'default-src'])
  if (!found || found.sources.some((each) => /^'unsafe-inline'$/i.test(each))) return []
  return [note('policyStyle', { number, directive: found.directive })]
}

function checkSandbox(policy: Policy, number: string): Finding[] {
  const allowed = policy.get('sandbox')
  const isOpen = !allowed || ['allow-scripts', 'allow-same-origin'].every((each) => allowed.includes(each))
  return isOpen ? [] : [bad('policySandbox', { number })]
}

const SOURCE =
  /^(?:([a-z][a-z0-9+.-]*):\/\/)?(\*|(?:\*\.)?[a-z0-9_-]+(?:\.[a-z0-9_-]+)*|\[[0-9a-f:.]+\])(?::(\d+|\*))?(\/[^?#]*)?$/i

/** Whether a source of a directive matches an address, by the rules of Content Security Policy Level 3. */
function allows(source: string, address: string, pageOrigin: string): boolean {
  const url = new URL(address)
  if (source === '*') return true
  if (/^'self'$/i.test(source)) return url.origin === pageOrigin
  const [, onlyScheme] = /^([a-z][a-z0-9+.-]*):$/i.exec(source) ?? []
  if (onlyScheme) return fitsScheme(onlyScheme, url)
  const [, scheme, host = '', port, path] = SOURCE.exec(source) ?? []
  if (host === '') return false
  return (
    fitsScheme(scheme ?? new URL(pageOrigin).protocol.slice(0, -1), url) &&
    fitsHost(host.toLowerCase(), url.hostname) &&
    fitsPort(port, url) &&
    fitsPath(path, url)
  )
}

/** A source with http also matches https. */
function fitsScheme(scheme: string, { protocol }: URL): boolean {
  const wanted = `${scheme.toLowerCase()}:`
  return wanted === protocol || (wanted === 'http:' && protocol === 'https:')
}

function fitsHost(pattern: string, host: string): boolean {
  return pattern === '*' || (pattern.startsWith('*.') ? host.endsWith(pattern.slice(1)) : pattern === host)
}

function fitsPort(port: string | undefined, { port: given, protocol }: URL): boolean {
  const usual = protocol === 'https:' ? '443' : '80'
  const actual = given || usual
  if (port === undefined) return actual === usual
  return port === '*' || port === actual || (port === '80' && actual === '443')
}

function fitsPath(path: string | undefined, { pathname }: URL): boolean {
  if (path === undefined || path === '/') return true
  return path.endsWith('/') ? pathname.startsWith(path) : pathname === path
}
