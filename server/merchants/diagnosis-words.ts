/**
 * What the installation doctor can find, in English: for the command line, and as the list of keys that the install page
 * says in its own languages. `{name}` stands for a value of the finding.
 */
export const DIAGNOSIS_EN = {
  revoked: 'The installation is revoked: its public key is refused on every page.',
  originRegistered: '"{origin}" is registered, byte for byte.',
  originUnknown: '"{origin}" is not registered.',
  originClosest: 'The closest that is registered, "{closest}", differs:',
  differsScheme: 'the scheme is {page}, registered is {known}',
  differsWww: '{page} and {known} are two origins, with www and without',
  differsHost: 'the host is {page}, registered is {known}',
  differsPort: 'the port is {page}, registered is {known}',
  originsAll: 'All that are registered: {origins}.',
  spelledNull:
    'A page sends the origin "null" when it was opened from a file, or sits in a sandboxed frame. It can never be registered.',
  spelledNotWeb: '"{given}" is not the origin of a web page.',
  spelledOtherwise: 'A browser never sends "{given}" as an origin. It sends "{sent}".',
  becauseScheme: 'it lacks the scheme',
  becauseSpaces: 'it has spaces around it',
  becauseUser: 'it holds a user name',
  becauseUpperCase: 'it has upper-case letters',
  becausePort: 'it names the default port',
  becauseAscii: 'its host is not in ASCII',
  becauseSlash: 'it ends with a slash',
  becausePath: 'it goes on after the host',
  adviceServe: 'Serve the page from a web server, outside of sandboxed frames.',
  adviceWrite: 'Write scheme and host, such as https://shop.example',
  adviceAskAgain: 'The page itself is fine. Ask again with the spelling that its browser sends:',
  adviceRevoked: 'Make a new installation, and put its public key into the page:',
  adviceTwin: "Serve the page from {twin}. Or, if this origin is the merchant's own too, allow it:",
  adviceAllow:
    "If the page is the merchant's own, allow its origin; within a second the same key works there:",
  policyUnreadable: 'This is no content security policy: it names no directive that a browser knows.',
  policyScriptFine: 'Policy {number}: {directive} lets the script load.',
  policyScriptBlocked: 'Policy {number}: {directive} blocks the script. Add {source} to script-src.',
  policyScriptElem:
    'Policy {number}: {directive} blocks the script. Add {source} to script-src-elem, which stands in for script-src.',
  policyStrictDynamic:
    "Policy {number}: {directive} has 'strict-dynamic', so addresses in it are ignored. Put the page's nonce on the script tag: nonce=\"...\".",
  policyNonce:
    "Policy {number}: {directive} takes a nonce. Put the page's nonce on the script tag, or add {source}.",
  policyConnectFine: 'Policy {number}: {directive} lets the button ask for a checkout.',
  policyConnectBlocked:
    'Policy {number}: {directive} blocks the question for a checkout. Add {source} to connect-src.',
  policyTypesFine: 'Policy {number}: Trusted Types are no hindrance to a tag that stands in the page.',
  policyTypesInserted:
    'Policy {number}: Trusted Types stop a script that inserts the tag (the React and Vue snippets do): write the tag into the page itself.',
  policyStyle:
    'Policy {number}: {directive} blocks a <style> element. The button needs none; its colours go into a style sheet of yours.',
  policySandbox:
    'Policy {number}: sandbox without allow-scripts and allow-same-origin: the button cannot run, or sends the origin "null".',
  policyUnset: 'Policy {number}: it says nothing about {directive}, so nothing is blocked.',
  returnMissing: 'The installation has no return URL, so the page must name one (return-url).',
  returnDefault: 'Buyers come back to {url} unless the page names another address.',
  returnFine: 'Buyers come back to {url}.',
  returnBroken: '"{given}" is not an address.',
  returnNotWeb: 'A return URL begins with https:// (or is relative to the page).',
  returnUser: 'A return URL may hold no user name and no password.',
  returnLong: 'A return URL has at most {max} characters.',
  returnForeign: 'The return URL leads to {origin}, which is not one of the origins of this key.',
  returnHttp: 'The return URL is not encrypted. Use https:// outside of tests.',
} as const

export type FindingKey = keyof typeof DIAGNOSIS_EN
/** `bad` stops the button, `note` does not. */
export type Finding = { weight: 'good' | 'bad' | 'note'; key: FindingKey; values: Record<string, string> }

const finding =
  (weight: Finding['weight']) =>
  (key: FindingKey, values: Record<string, string> = {}): Finding => ({ weight, key, values })
export const good = finding('good')
export const bad = finding('bad')
export const note = finding('note')

/** The finding as a sentence, in the words of a table. */
export function wordFinding(
  { key, values }: Pick<Finding, 'key' | 'values'>,
  words: Record<FindingKey, string> = DIAGNOSIS_EN,
): string {
  return words[key].replaceAll(/\{(\w+)\}/g, (hole, name: string) => values[name] ?? hole)
}
