/** `installation doctor`: why a page is accepted or refused, and what mends it. */
import { readFileSync } from 'node:fs'
import { type Diagnosis, diagnoseEncryption, diagnoseOrigin } from '../../channels/doctor/diagnosis.ts'
import { diagnosePolicy } from '../../channels/doctor/policy.ts'
import { diagnoseReturn } from '../../channels/doctor/return.ts'
import { diagnoseSnippet } from '../../channels/doctor/snippet.ts'
import { type Finding, wordFinding } from '../../channels/doctor/words.ts'
import { describeChannel } from '../../channels/settings.ts'
import { AppError } from '../../errors.ts'
import { getInstallation } from '../../merchants/installation.ts'
import { verb } from '../command.ts'
import { optional, required } from '../flag.ts'
import { paragraphs, plain } from '../layout.ts'
import { commandOf } from '../next-step.ts'
import { currentScript } from '../widget-script.ts'

export const INSTALLATION = required('ID', "the installation's id (ins_...) or its public key (kpk_...)")

function readText(file: string): string {
  try {
    return readFileSync(file === '-' ? 0 : file, 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new AppError('validation_failed', { message: `--snippet cannot be read: ${file} (${code}).` })
  }
}

export const doctor = verb({
  name: 'doctor',
  summary: 'Say why a page on an origin is accepted or refused, and how to mend it',
  flags: {
    installation: INSTALLATION,
    origin: required('O', "the page's origin, as the browser's console or the server's log names it"),
    csp: optional(
      'TEXT',
      "the page's Content-Security-Policy header, to see whether it lets the button work",
    ),
    returnUrl: optional('U', 'where the page sends buyers back to (return-url), if not as the snippet says'),
    snippet: optional(
      'FILE',
      'a file with the snippet as it stands in the page, or with the page; - for the standard input',
    ),
  },
  examples: [
    '--installation ins_01... --origin https://www.shop.example',
    `--installation ins_01... --origin https://shop.example --csp "script-src 'self'" --return-url https://shop.example/thanks`,
    '--installation ins_01... --origin https://shop.example --snippet shop.html',
  ],
  async run(ctx, { installation: id, origin, csp, returnUrl, snippet: file }) {
    const record = await getInstallation(ctx, id)
    const { origins, revokedAt, publicKey } = record
    const { scriptUrl, pinned } = await currentScript(ctx)
    const channel = await describeChannel(ctx, record, pinned)
    const { apiOrigin } = channel
    const { allowed, findings: judged, remedy } = diagnoseOrigin(record, origin)
    const isOrigin = URL.canParse(origin)
    const encryption = isOrigin ? diagnoseEncryption(origin, apiOrigin) : []
    const findings = [...judged, ...encryption]
    const wanted = { scriptUrl, apiOrigin, pageOrigin: origin }
    const policy = csp === undefined || !isOrigin ? null : diagnosePolicy(csp, wanted)
    const snippet = file === undefined ? null : diagnoseSnippet(readText(file), channel)
    const named = returnUrl ?? snippet?.returnUrl
    const back = diagnoseReturn(record, named ?? '', isOrigin ? origin : undefined)
    const json = {
      installationId: record.id,
      publicKey,
      origin,
      allowed,
      revoked: revokedAt !== null,
      origins,
      findings: findings.map((each) => wordFinding(each)),
      ...(snippet && { snippet: present(snippet.findings) }),
      ...(policy && { policy: present(policy) }),
      return: present(back),
      fix: remedy && { advice: wordFinding(remedy.advice), commands: commandsOf(remedy) },
    }
    const verdict = `A page on ${origin} ${allowed ? 'may' : 'may not'} use ${publicKey}.`
    // Said also where the page names none: it is a fault of the page only if the installation has none either.
    const isReturnAsked = named !== undefined || (allowed && record.returnUrl === null)
    const text = paragraphs(
      [verdict, ...findings.map((each) => wordFinding(each))].map(plain).join('\n'),
      snippet && sentences('Snippet', snippet.findings),
      policy && sentences('Content security policy', policy),
      isReturnAsked && sentences('Return URL', back),
    )
    const problem =
      findRemedy(remedy, verdict) ??
      findProblem([
        ['mixed_content', encryption],
        ['snippet_broken', snippet?.findings ?? []],
        ['policy_blocks', policy ?? []],
        ['return_url_not_allowed', named === undefined ? [] : back],
      ])
    return problem ? { json, text, problem } : { json, text }
  },
})

type Remedy = NonNullable<Diagnosis['remedy']>

function commandsOf({ act }: Remedy): string[] {
  return act ? [commandOf(act)] : []
}

function findRemedy(remedy: Remedy | null, verdict: string) {
  if (!remedy) return null
  const commands = commandsOf(remedy).map((command) => `\n  ${command}`)
  const hint = plain(wordFinding(remedy.advice)) + commands.join('')
  return { code: 'origin_not_trusted', message: verdict, hint }
}

/** The first that stops the button. */
function findProblem(looks: [code: string, findings: Finding[]][]) {
  const faults = looks.flatMap(([code, findings]) =>
    findings.filter(isBad).map((each) => ({ code, message: wordFinding(each) })),
  )
  return faults[0] ?? null
}

const isBad = ({ weight }: Finding) => weight === 'bad'

function present(findings: Finding[]) {
  return { ok: !findings.some(isBad), findings: findings.map((each) => wordFinding(each)) }
}

function sentences(title: string, findings: Finding[]): string {
  return [title, ...findings.map((each) => `  ${plain(wordFinding(each))}`)].join('\n')
}
