/** `installation doctor`: explains why a page is accepted or rejected, and how to fix it. */
import type { Diagnosis } from '../../channels/doctor/diagnosis.ts'
import { type Finding, findingText } from '../../channels/doctor/finding.ts'
import { type Examination, examinePage } from '../../operator/installation-doctor.ts'
import { type Outcome, verb } from '../command.ts'
import { optional, required } from '../flag.ts'
import { readGivenFile } from '../given-file.ts'
import { paragraphs, plain } from '../layout.ts'
import { commandOf } from '../next-step.ts'

export const INSTALLATION = required('ID', "the installation's id (ins_...) or its public key (kpk_...)")

export const doctor = verb({
  name: 'doctor',
  needs: 'viewer',
  summary: 'Explain why a page is accepted or rejected, and how to fix it',
  flags: {
    installation: INSTALLATION,
    origin: required('O', "the page's origin, as shown in the browser's console or in the server's log"),
    csp: optional('TEXT', "the page's Content-Security-Policy header, to check that it allows the button"),
    returnUrl: optional(
      'U',
      'the address where the page sends buyers back (default: the return-url of the snippet)',
    ),
    snippet: optional(
      'FILE',
      'a file with the snippet or the whole page that contains it; - reads standard input',
    ),
  },
  examples: [
    '--installation ins_01... --origin https://www.shop.example',
    `--installation ins_01... --origin https://shop.example --csp "script-src 'self'" --return-url https://shop.example/thanks`,
    '--installation ins_01... --origin https://shop.example --snippet shop.html',
  ],
  async run(ctx, { installation: id, origin, csp: policy, returnUrl, snippet: file }) {
    const snippet = file === undefined ? undefined : (await readGivenFile(file)).toString()
    const found = await examinePage(ctx, id, { origin, policy, returnUrl, snippet })
    const verdict = `A page on ${origin} ${found.allowed ? 'may' : 'may not'} use ${found.installation.publicKey}.`
    const problem = problemOf(found, verdict)
    return { json: present(found, origin), text: textOf(found, verdict), ...(problem && { problem }) }
  },
})

function present({ installation, allowed, findings, remedy, ...found }: Examination, origin: string) {
  const { id: installationId, publicKey, origins, revokedAt } = installation
  return {
    installationId,
    publicKey,
    origin,
    allowed,
    revoked: revokedAt !== null,
    origins,
    findings: findings.map((each) => findingText('en', each)),
    ...(found.snippet && { snippet: presentFindings(found.snippet) }),
    ...(found.policy && { policy: presentFindings(found.policy) }),
    return: presentFindings(found.returnUrl),
    fix: remedy && { advice: findingText('en', remedy.advice), commands: commandsOf(remedy) },
  }
}

function presentFindings(findings: Finding[]) {
  const ok = findings.every(({ weight }) => weight !== 'bad')
  return { ok, findings: findings.map((each) => findingText('en', each)) }
}

function textOf(
  { findings, snippet, policy, returnUrl, returnMatters }: Examination,
  verdict: string,
): string {
  return paragraphs(
    [verdict, ...findings.map((each) => findingText('en', each))].map(plain).join('\n'),
    snippet && section('Snippet', snippet),
    policy && section('Content security policy', policy),
    returnMatters && section('Return URL', returnUrl),
  )
}

function section(title: string, findings: Finding[]): string {
  return [title, ...findings.map((each) => `  ${plain(findingText('en', each))}`)].join('\n')
}

type Remedy = NonNullable<Diagnosis['remedy']>

function commandsOf({ act }: Remedy): string[] {
  return act ? [commandOf(act)] : []
}

function problemOf({ remedy, fault }: Examination, verdict: string): Outcome['problem'] | null {
  if (remedy) {
    const commands = commandsOf(remedy).map((command) => `\n  ${command}`)
    const hint = plain(findingText('en', remedy.advice)) + commands.join('')
    return { code: 'origin_not_trusted', message: verdict, hint }
  }
  return fault && { code: fault.code, message: findingText('en', fault.finding) }
}
