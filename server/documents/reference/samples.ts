/** The examples of a request in each language: one function a language, from the same data. */
import { type ClientCall, callInNode, callInPhp, callInPython, TOKEN_VARIABLE } from './client-calls.ts'
import { identifier, JAVASCRIPT, literal, PHP, PYTHON, quoted } from './literal.ts'

export type SampleRequest = {
  method: string
  url: string
  /** Whether the request has the merchant's token. Every example reads the token from the environment. */
  withToken: boolean
  headers: Record<string, string>
  body?: object
}
export type Language = {
  id: string
  label: string
  /** Writes the request without a client. */
  write(request: SampleRequest): string
  /** Writes the call of the client in this language. */
  call?(request: ClientCall): string
}

const shellQuoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`

function curl({ method, url, withToken, headers, body }: SampleRequest): string {
  const parts = [`curl -sS ${method === 'GET' ? '' : `-X ${method} `}${shellQuoted(url)}`]
  if (withToken) parts.push(`-H "Authorization: Bearer $${TOKEN_VARIABLE}"`)
  for (const [name, value] of Object.entries(headers)) parts.push(`-H ${shellQuoted(`${name}: ${value}`)}`)
  if (body) parts.push(`-d ${shellQuoted(JSON.stringify(body, null, 2))}`)
  return parts.join(' \\\n  ')
}

function node({ method, url, withToken, headers, body }: SampleRequest): string {
  const given = Object.entries(headers).map(([name, value]) => `    ${identifier(name)}: ${quoted(value)},`)
  if (withToken) given.unshift(`    Authorization: \`Bearer \${process.env.${TOKEN_VARIABLE}}\`,`)
  const options = [
    ...(method === 'GET' ? [] : [`  method: ${quoted(method)},`]),
    ...(given.length > 0 ? ['  headers: {', ...given, '  },'] : []),
    ...(body ? [`  body: JSON.stringify(${literal(body, JAVASCRIPT, 2)}),`] : []),
  ]
  const init = options.length > 0 ? `, {\n${options.join('\n')}\n}` : ''
  return `const answer = await fetch(${quoted(url)}${init})\nconsole.log(answer.status, await answer.json())`
}

function python({ method, url, withToken, headers, body }: SampleRequest): string {
  const given = Object.entries(headers).map(([name, value]) => `        ${quoted(name)}: ${quoted(value)},`)
  if (withToken) given.unshift(`        'Authorization': f"Bearer {os.environ['${TOKEN_VARIABLE}']}",`)
  const lines = [
    `import json${withToken ? '\nimport os' : ''}\nimport urllib.request\n`,
    'request = urllib.request.Request(',
    `    ${quoted(url)},`,
    ...(method === 'GET' ? [] : [`    method=${quoted(method)},`]),
    ...(given.length > 0 ? ['    headers={', ...given, '    },'] : []),
    ...(body ? [`    data=json.dumps(${literal(body, PYTHON, 4)}).encode(),`] : []),
    ')',
    'with urllib.request.urlopen(request) as answer:',
    '    print(answer.status, json.load(answer))',
  ]
  return lines.join('\n')
}

function php({ method, url, withToken, headers, body }: SampleRequest): string {
  const given = Object.entries(headers).map(([name, value]) => `        ${quoted(`${name}: ${value}`)},`)
  if (withToken) given.unshift(`        'Authorization: Bearer ' . getenv('${TOKEN_VARIABLE}'),`)
  const options = [
    '    CURLOPT_RETURNTRANSFER => true,',
    ...(method === 'GET' ? [] : [`    CURLOPT_CUSTOMREQUEST => ${quoted(method)},`]),
    ...(given.length > 0 ? ['    CURLOPT_HTTPHEADER => [', ...given, '    ],'] : []),
    ...(body ? [`    CURLOPT_POSTFIELDS => json_encode(${literal(body, PHP, 4)}),`] : []),
  ]
  return [
    '<?php',
    `$call = curl_init(${quoted(url)});`,
    `curl_setopt_array($call, [\n${options.join('\n')}\n]);`,
    '$answer = json_decode(curl_exec($call), true);',
    'print_r([curl_getinfo($call, CURLINFO_RESPONSE_CODE), $answer]);',
  ].join('\n')
}

export const LANGUAGES: readonly Language[] = [
  { id: 'curl', label: 'curl', write: curl },
  { id: 'node', label: 'Node', write: node, call: callInNode },
  { id: 'python', label: 'Python', write: python, call: callInPython },
  { id: 'php', label: 'PHP', write: php, call: callInPhp },
]
