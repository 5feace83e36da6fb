import type { FindingKey } from '../../merchants/diagnosis-words.ts'

export const FINDINGS_HY: Record<FindingKey, string> = {
  revoked: 'Բանալին հետ է կանչված. այն չի ընդունվում ոչ մի էջում։',
  originRegistered: '«{origin}»-ը թույլատրված է, բայթ առ բայթ։',
  originUnknown: '«{origin}»-ը թույլատրված չէ։',
  originClosest: 'Ամենամոտ թույլատրվածը՝ «{closest}», տարբերվում է՝',
  differsScheme: 'սխեման {page} է, թույլատրված է {known}',
  differsWww: '{page} և {known} երկու աղբյուր են՝ www-ով և առանց դրա',
  differsHost: 'հոսթը {page} է, թույլատրված է {known}',
  differsPort: 'պորտը {page} է, թույլատրված է {known}',
  originsAll: 'Բոլոր թույլատրվածները՝ {origins}։',
  spelledNull:
    '«null» աղբյուր ունի ֆայլից կամ մեկուսացված ֆրեյմում բացված էջը։ Այն երբեք հնարավոր չէ թույլատրել։',
  spelledNotWeb: '«{given}»-ը վեբ էջի աղբյուր չէ։',
  spelledOtherwise: 'Դիտարկիչը «{given}» երբեք չի ուղարկում որպես աղբյուր։ Այն ուղարկում է «{sent}»։',
  becauseScheme: 'սխեման բացակայում է',
  becauseSpaces: 'շուրջը բացատներ կան',
  becauseUser: 'օգտանուն է պարունակում',
  becauseUpperCase: 'մեծատառեր կան',
  becausePort: 'նշված է լռելյայն պորտը',
  becauseAscii: 'հոսթը ASCII չէ',
  becauseSlash: 'վերջում թեք գիծ կա',
  becausePath: 'հոսթից հետո շարունակություն կա',
  adviceServe: 'Էջը տրամադրեք վեբ սերվերից, մեկուսացված ֆրեյմներից դուրս։',
  adviceWrite: 'Գրեք սխեման և հոսթը, օրինակ՝ https://shop.example',
  adviceAskAgain: 'Էջն ինքը կարգին է։ Հարցրեք կրկին այն գրությամբ, որն ուղարկում է դիտարկիչը՝',
  adviceRevoked: 'Ստեղծեք նոր տեղադրում և դրա բանալին դրեք էջում՝',
  adviceTwin: 'Էջը տրամադրեք {twin} հասցեից։ Կամ, եթե այս աղբյուրն էլ խանութինն է, թույլատրեք այն՝',
  adviceAllow:
    'Եթե էջը խանութինն է, թույլատրեք դրա աղբյուրը. մեկ վայրկյանից նույն բանալին կաշխատի նաև այնտեղ՝',
  policyUnreadable: 'Սա անվտանգության քաղաքականություն չէ. դիտարկիչին հայտնի ոչ մի հրահանգ չկա։',
  policyScriptFine: 'Քաղաքականություն {number}՝ {directive}-ը թույլ է տալիս բեռնել սկրիպտը։',
  policyScriptBlocked:
    'Քաղաքականություն {number}՝ {directive}-ն արգելում է սկրիպտը։ Ավելացրեք {source}-ը script-src-ում։',
  policyScriptElem:
    'Քաղաքականություն {number}՝ {directive}-ն արգելում է սկրիպտը։ Ավելացրեք {source}-ը script-src-elem-ում, որը փոխարինում է script-src-ին։',
  policyStrictDynamic:
    'Քաղաքականություն {number}՝ {directive}-ում «strict-dynamic» կա, ուստի հասցեներն անտեսվում են։ Թեգի վրա դրեք էջի nonce-ը՝ nonce="..."։',
  policyNonce:
    'Քաղաքականություն {number}՝ {directive}-ն ընդունում է nonce։ Դրեք էջի nonce-ը թեգի վրա կամ ավելացրեք {source}-ը։',
  policyConnectFine: 'Քաղաքականություն {number}՝ {directive}-ը թույլ է տալիս սկսել վճարումը։',
  policyConnectBlocked:
    'Քաղաքականություն {number}՝ {directive}-ն արգելում է սկսել վճարումը։ Ավելացրեք {source}-ը connect-src-ում։',
  policyTypesFine: 'Քաղաքականություն {number}՝ Trusted Types-ը չի խանգարում էջում գրված թեգին։',
  policyTypesInserted:
    'Քաղաքականություն {number}՝ Trusted Types-ն արգելում է սկրիպտով ավելացնել թեգը (այդպես են անում React-ի և Vue-ի կոդերը). գրեք թեգը հենց էջում։',
  policyStyle:
    'Քաղաքականություն {number}՝ {directive}-ն արգելում է <style> տարրը։ Կոճակին այն պետք չէ. գույները դրեք ձեր ոճերի ֆայլում։',
  policySandbox:
    'Քաղաքականություն {number}՝ sandbox առանց allow-scripts և allow-same-origin. կոճակը չի աշխատի կամ կուղարկի «null» աղբյուր։',
  policyUnset: 'Քաղաքականություն {number}՝ {directive}-ի մասին ոչինչ չի ասվում, ուրեմն արգելված չէ։',
  returnMissing: 'Բանալին վերադարձի հասցե չունի, ուստի էջը պետք է նշի իրենը (return-url)։',
  returnDefault: 'Գնորդները վերադառնում են {url}, եթե էջը այլ հասցե չի նշում։',
  returnFine: 'Գնորդները վերադառնում են {url}։',
  returnBroken: '«{given}»-ը հասցե չէ։',
  returnNotWeb: 'Վերադարձի հասցեն սկսվում է https://-ով (կամ հարաբերական է էջի նկատմամբ)։',
  returnUser: 'Վերադարձի հասցեն չի կարող օգտանուն կամ գաղտնաբառ պարունակել։',
  returnLong: 'Վերադարձի հասցեն առավելագույնը {max} նիշ է։',
  returnForeign: 'Վերադարձի հասցեն տանում է {origin}, որն այս բանալու համար թույլատրված չէ։',
  returnHttp: 'Վերադարձի հասցեն գաղտնագրված չէ։ Փորձերից դուրս պետք է https://։',
}
