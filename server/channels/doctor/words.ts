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
  adviceAskAgain: 'The page itself is fine. Ask again with the spelling that its browser sends.',
  adviceRevoked: 'Create a new installation, and put its public key into the page.',
  adviceTwin:
    'Serve the page from {twin}. Or, if this origin belongs to the merchant too, have it allowed for this key.',
  adviceAllow:
    'If the page belongs to the merchant, have its origin allowed for this key. Within a second the key works there.',
  mixedContent:
    'The page is on https and this server, {server}, is not: browsers load nothing from it. Ask the operator to put the server on https.',
  pageUnencrypted:
    'The page is not encrypted, so anyone on the way may change where its button leads. Use https:// outside of tests.',
  policyUnreadable:
    "This is no content security policy: it names no directive that a browser knows. Paste the header's whole value, as the browser's network tab shows it.",
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
    'Policy {number}: sandbox without allow-scripts and allow-same-origin: the button cannot run, or sends the origin "null". Add both.',
  policyUnset: 'Policy {number}: it says nothing about {directive}, so nothing is blocked.',
  returnMissing:
    'The installation has no return URL, so the page must name one: return-url="/thanks", with a page of yours in its place.',
  returnDefault: 'Buyers come back to {url} unless the page names another address.',
  returnFine: 'Buyers come back to {url}.',
  returnBroken: '"{given}" is not an address. Write it whole, such as https://shop.example/thanks',
  returnNotWeb: 'A return URL begins with https:// (or is relative to the page).',
  returnUser: 'A return URL may hold no user name and no password. Take them out.',
  returnLong: 'A return URL has at most {max} characters. Take a shorter one.',
  returnForeign:
    'The return URL leads to {origin}, which is not one of the origins of this key. Take a page of the site itself, or have that origin allowed too.',
  returnHttp: 'The return URL is not encrypted. Use https:// outside of tests.',
  snippetFine: 'The snippet has the key, a product and the script of this server.',
  snippetCut: 'Only the first {max} characters were read. Take just the tag of the button and its script.',
  snippetSecret:
    'It holds a secret (ksk_... or whsec_...), which everybody who opens the page can read. Take it out, and ask the operator to revoke it now. A page needs only the public key (kpk_...).',
  snippetEscaped:
    'It was pasted as text, and the page shows the tags instead of a button. Paste it into a field for HTML code.',
  snippetNone: 'There is no pay button in it. Copy a whole snippet from this page.',
  snippetQuotes:
    'It has curly quotes, as text editors put them, where straight ones (") belong. Copy it again, straight into a field for code.',
  snippetLacks: 'It lacks {name}. Copy the snippet again.',
  snippetKey:
    'Its key, {given}, is not the one of this page, {publicKey}; it may have been withdrawn. Put in the key of this page.',
  snippetProduct:
    'The product "{given}" is not for sale. For sale: {products}. Take one of them, or ask the operator to put it on sale again.',
  snippetNoScript: 'Nothing in it loads the script. Add: <script async src="{script}"></script>',
  snippetModule:
    'As a module the script cannot tell where it came from. Take type="module" away, or give the button endpoint="...", the address of this server.',
  snippetHead:
    'In <head> a button cannot show. There, move the tag to where the button is to stand, or add data-target="#pay" and an element with id="pay".',
  snippetServer: 'It names {given}, and this key is known only at {server}. Take the snippet of this page.',
  snippetHash:
    'Its hash is not the one of version {given}, so browsers refuse the script. Take address and hash together, of version {version} from this page or of another from {versions}',
  snippetOlder:
    'It pins version {given}, and the current one is {version}. It goes on working; its hash has to be the one in {versions}',
  snippetHashMoving:
    'A hash on the moving address stops the button with the next version. Pin a version, or take the hash away.',
  snippetCrossOrigin:
    'With a hash the tag needs crossorigin="anonymous", or browsers refuse the script. Add it.',
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
