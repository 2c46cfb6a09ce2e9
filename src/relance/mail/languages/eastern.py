"""The languages of central and eastern Europe, Greece and Turkey."""

from relance.mail.languages.language import Language

POLISH = Language(
    code="pl",
    name="Polish",
    common="na nie się jest w z proszę jestem mnie już",
    away_subject=(
        r"automatyczna odpowied[źz]|odpowied[źz] automatyczna|autoodpowied[źz]|nieobecno|(?:jestem )?(?:na "
        r"urlopie|poza biurem|nieobecn)|urlop|wiadomość automatyczna"
    ),
    absent=(
        r"przebywam (?:obecnie )?na (?:urlopie|zwolnieniu)|jestem (?:obecnie )?(?:nieobecn|poza biurem|na "
        r"urlopie|na zwolnieniu)|będę (?:nieobecn|niedostępn|ponownie)|nie ma mnie w biurze"
    ),
    limits=r"(?:ograniczony|nie mam|bez) dostęp|wracam (?:do pracy )?|wrócę|po powrocie",
    cover=(
        r"w (?:pilnych sprawach|sprawach pilnych|razie pilnych|przypadku pilnych|nagłych)|(?:w czasie|"
        r"podczas) mojej nieobecności|proszę (?:o kontakt|kontaktować)"
    ),
    machine=(
        r"to jest automatyczn|(?:wiadomość|odpowiedź) (?:została )?wygenerowan|automatyczna odpowiedź|prosimy "
        r"nie odpowiadać"
    ),
    gone=(
        r"(?:już )?nie pracuj[eę]|nie jest już (?:pracownik|zatrudni)|zakończył[a]? (?:współprac|prac)|"
        r"przesz(?:edł|ła) na emerytur|adres\b.{0,40}(?:nie jest już|nieaktywn|nie istnieje|zmieni)|mój nowy "
        r"(?:adres|e-?mail)|już nie jest aktywn"
    ),
    stop_words="stop|wypisz(?: mnie)?|rezygnacja|rezygnuję|usuń(?: mnie)?|wypisuję się|wypisać",
    stop=(
        r"\bproszę (?:o (?:wypisanie|usunięcie|niewysyłanie|nieprzysyłanie)|mnie (?:usunąć|wypisać|wykreślić)|"
        r"nie (?:pisać|wysyłać|kontaktować|przysyłać))|\b(?:usuń|wypisz)cie mnie|\bnie (?:życzę sobie|chcę) "
        r"(?:więcej )?(?:otrzymywać|dostawać|wiadomości|kontaktu)|\bnie wyrażam zgody"
    ),
    subject_example="Automatyczna odpowiedź: Pytanie",
    away_example="Przebywam na urlopie do 14 sierpnia. W pilnych sprawach proszę o kontakt z sekretariatem.",
    gone_example="Pani Lee nie pracuje już w firmie Example.",
    stop_examples=("Rezygnacja", "Proszę o usunięcie mojego adresu."),
)
CZECH = Language(
    code="cs",
    name="Czech",
    common="je na se v jsem není prosím mě ze již už",
    away_subject=(
        r"automatická (?:odpověď|zpráva)|(?:jsem )?(?:mimo kancelář|nepřítom|na dovolené)|dovolená|"
        r"nepřítomnost"
    ),
    absent=(
        r"(?:jsem|budu)\b.{0,30}(?:mimo kancelář|na dovolené|nepřítom|na (?:služební cestě|nemocenské)|zpět)|"
        r"čerpám dovolenou|nejsem (?:v kanceláři|přítom|k zastižení)"
    ),
    limits=r"omezený přístup|(?:vrátím|vracím) se|po (?:svém|mém) návratu|zpět (?:v kanceláři|budu)",
    cover=(
        r"v (?:naléhavých|urgentních|neodkladných) (?:případech|záležitostech)|v (?:mé|době mé) nepřítomnosti|"
        r"kontaktujte prosím|obraťte se"
    ),
    machine=(
        r"(?:toto|tato) je automatick|tato zpráva (?:byla|je) automaticky|automatická odpověď|"
        r"vygenerován[ao]? automaticky"
    ),
    gone=(
        r"(?:již|už) (?:ne(?:pracuj|působ|ní)|není)|nepracuj[ei] (?:již|už)|odeš(?:el|la) (?:do důchodu|z)|"
        r"adresa\b.{0,40}(?:není|zrušena|změnila)|moje nová adresa|ukončil[a]? pracovní"
    ),
    stop_words="odhlásit|odhlaste mě|stop|zrušit odběr|vyřaďte mě",
    stop=(
        r"\b(?:odhlaste|vyřaďte|odstraňte|vymažte|odeberte) (?:mě|mne|nás|moji|můj)|\b(?:neposílejte|"
        r"nezasílejte|nepište|nekontaktujte) (?:mi|mě|nám|nás)?|\bnepřeji si (?:dostávat|další|být)"
    ),
    subject_example="Automatická odpověď: Dotaz",
    away_example="Jsem na dovolené do 14. srpna. V naléhavých případech kontaktujte prosím recepci.",
    gone_example="Paní Lee již nepracuje ve společnosti Example.",
    stop_examples=("Odhlásit", "Prosím, vyřaďte mě ze seznamu."),
)
SLOVAK = Language(
    code="sk",
    name="Slovak",
    common="je na sa v som nie prosím ma zo už viac",
    away_subject=(
        r"automatická (?:odpoveď|správa)|(?:som )?(?:mimo kancelári|neprítom|na dovolenke)|dovolenka|"
        r"neprítomnosť"
    ),
    absent=(
        r"(?:som|budem)\b.{0,30}(?:mimo kancelári|na dovolenke|neprítom|na služobnej ceste|späť)|čerpám "
        r"dovolenku|nie som (?:v kancelárii|prítom)"
    ),
    limits=r"obmedzený prístup|(?:vrátim|vraciam) sa|po (?:svojom|mojom) návrate",
    cover=(
        r"v (?:naliehavých|urgentných|súrnych) (?:prípadoch|záležitostiach)|v (?:mojej|čase mojej) "
        r"neprítomnosti|kontaktujte prosím|obráťte sa"
    ),
    machine=r"(?:toto|táto) je automatick|automatická odpoveď|vygenerovan[áé] automaticky",
    gone=(
        r"(?:už|viac) (?:nepracuj|nepôsob|nie je)|nepracuj(?:e|em) (?:už|viac)|odiš(?:iel|la) (?:do dôchodku|"
        r"z)|adresa\b.{0,40}(?:nie je|zrušená|zmenila)|moja nová adresa"
    ),
    stop_words="odhlásiť|odhláste ma|stop|vyraďte ma",
    stop=(
        r"\b(?:odhláste|vyraďte|odstráňte|vymažte) (?:ma|nás|moju|môj)|\b(?:neposielajte|nezasielajte|nepíšte|"
        r"nekontaktujte) (?:mi|ma|nám|nás)?|\bneželám si"
    ),
    subject_example="Automatická odpoveď: Otázka",
    away_example="Som na dovolenke do 14. augusta. V súrnych prípadoch kontaktujte prosím recepciu.",
    gone_example="Pani Lee už nepracuje v spoločnosti Example.",
    stop_examples=("Odhlásiť", "Prosím, vyraďte ma zo zoznamu."),
)
HUNGARIAN = Language(
    code="hu",
    name="Hungarian",
    common="az nem és vagyok kérem ne már",
    away_subject=r"automatikus válasz|házon kívül|szabadság|irodán kívül|távollét",
    absent=(
        r"szabadságon vagyok|(?:jelenleg )?(?:házon kívül|irodán kívül|távol) vagyok|szabadságon leszek|nem "
        r"(?:vagyok|leszek) (?:elérhető|az irodában)"
    ),
    limits=r"korlátozott(?:an)?|vissza(?:térek|jövök|térésem)|(?:legközelebb|újra) .{0,20}(?:elérhető|irodában)",
    cover=r"sürgős (?:esetben|ügyben)|távollétem (?:alatt|idején|ideje)|kérem,? (?:forduljon|keresse)",
    machine=r"ez egy automatikus|automatikus(?:an generált)? (?:válasz|üzenet)",
    gone=(
        r"(?:már )?nem dolgoz(?:ik|om) (?:már|tovább|a|az)|már nem dolgoz|nyugdíjba (?:vonult|ment)|(?:cím|"
        r"fiók)\b.{0,30}(?:megszűnt|már nem|megváltozott)|új e-?mail címem"
    ),
    stop_words="leiratkozás|leiratkozom|töröljenek|leiratkozni|stop",
    stop=(
        r"\b(?:töröljenek|vegyenek le|iratkoztassanak le)|\bkérem a? ?(?:törlés|leiratkoz)|\bne (?:küldjenek|"
        r"írjanak|keressenek)|\bnem (?:kérek|szeretnék) (?:több|további)"
    ),
    subject_example="Automatikus válasz: Kérdés",
    away_example="Szabadságon vagyok augusztus 14-ig. Sürgős esetben kérem, forduljon a recepcióhoz.",
    gone_example="Lee Anna már nem dolgozik a cégnél.",
    stop_examples=("Leiratkozás", "Kérem, töröljenek a listáról. Ne küldjenek több levelet."),
)
ROMANIAN = Language(
    code="ro",
    name="Romanian",
    common="în la de nu vă rog sunt pe mai și să pentru",
    away_subject=(
        r"răspuns automat|raspuns automat|(?:sunt )?(?:în concediu|in concediu|plecat din birou)|absen[țt]|"
        r"concediu"
    ),
    absent=(
        r"(?:sunt|voi fi|mă aflu|ma aflu)\b.{0,30}(?:în concediu|in concediu|plecat|absent|în afara biroului|"
        r"înapoi|indisponibil)"
    ),
    limits=r"acces limitat|(?:revin|mă întorc|voi reveni) (?:la|în|pe|din|luni)",
    cover=(
        r"(?:pentru|în caz de|in caz de) (?:urgențe|urgente|situații urgente|urgență)|în lipsa mea|în absența "
        r"mea|vă rog să contactați"
    ),
    machine=r"acesta este un (?:mesaj|răspuns|raspuns) automat|(?:mesaj|răspuns) generat automat",
    gone=(
        r"nu mai (?:lucreaz|lucrez|face parte|fac parte|este (?:activ|angajat|valab|utiliz))|s-a pensionat|a "
        r"părăsit compania|noua mea adresă"
    ),
    stop_words="dezabonare|dezabonează-mă|dezabonati-ma|stop|dezabonați-mă",
    stop=(
        r"\b(?:dezabonați|ștergeți|stergeti|scoateți|eliminați)[- ]?(?:mă|ma|adresa)|\bnu (?:mai )?(?:doresc|"
        r"vreau) să (?:mai )?primesc|\bnu[- ]mi mai (?:trimite|scrie)"
    ),
    subject_example="Răspuns automat: Întrebare",
    away_example="Sunt în concediu până pe 14 august. Pentru urgențe vă rog să contactați recepția.",
    gone_example="Doamna Lee nu mai lucrează la Example.",
    stop_examples=("Dezabonare", "Vă rog, ștergeți adresa mea. Nu mai doresc să primesc mesaje."),
)
CROATIAN = Language(
    code="hr",
    name="Croatian, Serbian, Bosnian, Slovenian",
    common="je na se u za sam nisam ne molim",
    away_subject=(
        r"automatski odgovor|samodejni odgovor|(?:na )?godišnj(?:em|i) odmor|odsut(?:an|na|nost|en)|izvan "
        r"ureda|dopust|van kancelarije"
    ),
    absent=(
        r"(?:na|koristim) (?:godišnj|dopust)|(?:nisam|nisem) (?:u uredu|u kancelariji|v pisarni|dostup)|"
        r"(?:odsut(?:an|na|en)) (?:sam|sem)|sem (?:odsot|na dopust)"
    ),
    limits=r"(?:ograničen|omejen) (?:pristup|dostop)|(?:vraćam|vračam) se|ponovno (?:u uredu|dostup)",
    cover=(
        r"(?:za|u) (?:hitn|nujn)|u (?:mojoj )?odsutnosti|v (?:moji )?odsotnosti|molim(?: vas)? "
        r"(?:kontaktirajte|obratite)"
    ),
    machine=r"(?:ovo|to) je (?:automatsk|samodejn)|automatski (?:generiran|odgovor)",
    gone=(
        r"više ne (?:radi|radim|koristi)|ne radi(?:m)? više|ni več zaposlen|ne dela več|(?:otišao|otišla) u "
        r"(?:mirovinu|penziju)|upokoj|moja nova (?:e-?mail )?adresa"
    ),
    stop_words="odjava|odjavi(?:te)?(?: me)?|stop|odjavite me",
    stop=(
        r"\b(?:odjavite|uklonite|izbrišite|obrišite|odstranite) (?:me|moj)|\bne (?:šaljite|pišite|želim "
        r"(?:više )?primati|pošiljajte)|\bne želim (?:više|prejemati)"
    ),
    subject_example="Automatski odgovor: Pitanje",
    away_example=(
        "Nisam u uredu, na godišnjem odmoru sam do 14. kolovoza. Za hitne slučajeve molim kontaktirajte recepciju."
    ),
    gone_example="Gospođa Lee više ne radi u tvrtki Example.",
    stop_examples=("Odjava", "Molim, uklonite me s popisa."),
)
TURKISH = Language(
    code="tr",
    name="Turkish",
    common="bir bu ve için kadar ile beni lütfen artık değilim şirketten",
    away_subject=r"otomatik (?:yanıt|yanit|cevap)|ofis dışında|izindeyim|yıllık izin|i̇zindeyim",
    absent=(
        r"(?:yıllık )?izin(?:deyim|de olaca)|ofis(?:te)? (?:dışında(?:yım)?|değilim|olmayaca)|raporluyum|"
        r"izinli(?:yim)?"
    ),
    limits=r"sınırlı erişim|(?:döneceğim|dönüşüm(?:de)?|döndüğümde)|tarihinde (?:ofiste|döne|işte)",
    cover=r"acil (?:durum|konu|ihtiya)|yokluğumda|bulunmadığım süre|lütfen .{0,60}(?:iletişime|ulaş|başvur)",
    machine=r"bu (?:bir )?otomatik|otomatik olarak (?:gönder|oluştur)",
    gone=(
        r"artık (?:çalışm|kullanılm|bu şirket|görev)|(?:şirketten|işten|görevinden) ayrıl|emekli ol|yeni "
        r"e-?posta adresim|adres(?:i)? (?:değiş|kapatıl)"
    ),
    stop_words="abonelikten çık|çıkar|beni çıkar|listeden çık|stop|iptal",
    stop=(
        r"\b(?:beni|bizi|adresimi) .{0,40}(?:listeden|listenizden|çıkar|sil)|\b(?:mail|e-?posta|mesaj) "
        r"(?:almak istemiyor|göndermeyin)|\b(?:bana|bize) (?:bir daha |artık )?(?:yazmayın|mail atmayın|"
        r"göndermeyin)"
    ),
    subject_example="Otomatik yanıt: Soru",
    away_example="14 Ağustos tarihine kadar yıllık izindeyim. Acil durumlarda santral ile iletişime geçiniz.",
    gone_example="Lee Hanım şirketten ayrılmıştır.",
    stop_examples=("Abonelikten çık", "Lütfen beni listenizden çıkarın."),
)
GREEK = Language(
    code="el",
    name="Greek",
    script=r"[\u0370-\u03ff]",
    away_subject=r"αυτόματη (?:απάντηση|ειδοποίηση)|εκτός γραφείου|απουσία|σε άδεια",
    absent=(
        r"(?:είμαι|βρίσκομαι|θα (?:είμαι|βρίσκομαι|απουσιάζω))\b.{0,30}(?:εκτός γραφείου|σε άδεια|με άδεια)|"
        r"απουσιάζω|θα απουσιάζω"
    ),
    limits=r"περιορισμένη πρόσβαση|(?:επιστρέφω|θα επιστρέψω|επιστροφή μου)",
    cover=r"(?:για|σε) (?:επείγ|έκτακτ)|κατά την απουσία μου|παρακαλώ (?:επικοινων|απευθυν)",
    machine=r"αυτό είναι (?:ένα )?αυτόματο|αυτοματοποιημένο μήνυμα|αυτόματη απάντηση",
    gone=r"δεν (?:εργάζ\w+|χρησιμοπ\w+|ανήκ\w+) (?:πλέον|πια)|πλέον δεν|συνταξιοδοτ|νέα (?:μου )?διεύθυνση",
    stop_words="διαγραφή|απεγγραφή|διαγράψτε με",
    stop=(
        r"διαγράψτε (?:με|το)|αφαιρέστε (?:με|το)|μην? (?:μου )?(?:στέλνετε|ξαναστείλετε|γράφετε)|δεν "
        r"(?:επιθυμώ|θέλω) να λαμβάνω"
    ),
    subject_example="Αυτόματη απάντηση: Ερώτηση",
    away_example="Βρίσκομαι σε άδεια έως τις 14 Αυγούστου. Για επείγοντα παρακαλώ επικοινωνήστε με τη γραμματεία.",
    gone_example="Η κυρία Lee δεν εργάζεται πλέον στην εταιρεία.",
    stop_examples=("Διαγραφή", "Παρακαλώ διαγράψτε με από τη λίστα."),
)
RUSSIAN = Language(
    code="ru",
    name="Russian",
    script=r"[\u0400-\u04ff]",
    away_subject=(
        r"автоматический ответ|автоответ|(?:я )?(?:в отпуске|вне офиса|отсутств)|отпуск|нет на месте|re: "
        r"автоответ"
    ),
    absent=(
        r"(?:нахожусь|буду|я|сейчас)\b.{0,30}(?:в отпуске|вне офиса|отсутству|в командировке|на больничном|"
        r"недоступ)|в отпуске (?:до|с|по)|отсутствую (?:на|в|до|с)"
    ),
    limits=r"ограниченный доступ|(?:вернусь|возвращаюсь|выйду|по возвращении)",
    cover=(
        r"по (?:срочным|неотложным|всем) вопросам|в (?:мо[её] отсутствие|срочных случаях)|(?:просьба|прошу|"
        r"пожалуйста),? (?:обращ|обрат|связ)"
    ),
    received=r"ваше (?:письмо|сообщение|обращение) (?:получено|принято|зарегистрировано)",
    machine=(
        r"(?:это|данное) (?:автоматическ|сообщение (?:создано|сформировано|отправлено) автоматически|письмо "
        r"(?:создано|отправлено|сформировано) автоматически)|автоматический ответ|не отвечайте на (?:это|"
        r"данное)"
    ),
    gone=(
        r"больше не (?:работа|использ|явля)|уволи(?:л|в)|не работа(?:ет|ю) (?:больше|в|уже)|вышел на пенсию|"
        r"вышла на пенсию|адрес (?:больше )?не (?:использ|действ|актив)|мой новый адрес|новый (?:e-?mail|"
        r"адрес электронной)"
    ),
    stop_words="отписаться|отписка|отпишите(?: меня)?|стоп|отпишись|удалите|хватит",
    stop=(
        r"\bотпишите (?:меня|нас)|\bудалите (?:меня|мой адрес|нас|мои)|\bне (?:пишите|присылайте|шлите|"
        r"звоните) (?:мне|нам|больше)|\bбольше не (?:пишите|присылайте|шлите|беспокойте)|\bне хочу (?:больше "
        r")?получать|\bисключите (?:меня|нас|мой)|\bпрекратите (?:слать|рассыл|писать|спам)"
    ),
    subject_example="Автоматический ответ: Вопрос",
    away_example="Я нахожусь в отпуске до 14 августа. По срочным вопросам просьба обращаться к секретарю.",
    gone_example="Анна Ли больше не работает в компании.",
    stop_examples=("Отписаться", "Удалите меня из рассылки."),
)
UKRAINIAN = Language(
    code="uk",
    name="Ukrainian",
    script=r"[\u0400-\u04ff]",
    away_subject=r"автоматична відповідь|автовідповідь|(?:я )?(?:у відпустці|поза офісом|відсутн)|відпустка",
    absent=(
        r"(?:перебуваю|буду|я|зараз)\b.{0,30}(?:у відпустці|в відпустці|поза офісом|відсутн|у відрядженні|на "
        r"лікарняному)"
    ),
    limits=r"обмежений доступ|(?:повернуся|повертаюся|після повернення)",
    cover=(
        r"(?:з|у) (?:термінових|невідкладних|терміновими)|(?:під час|за) моєї відсутності|(?:просимо|прошу|"
        r"будь ласка),? (?:зверт|зв'яж)"
    ),
    machine=r"це автоматичн|(?:повідомлення|лист) (?:створено|надіслано) автоматично|автоматична відповідь",
    gone=r"більше не (?:працю|використ)|звільни(?:вся|лася|лась)|вже не працю|вийш(?:ов|ла) на пенсію|моя нова адреса",
    stop_words="відписатися|відписка|відпишіть(?: мене)?|стоп|видаліть",
    stop=(
        r"\bвідпишіть (?:мене|нас)|\bвидаліть (?:мене|мою|нас)|\bне (?:пишіть|надсилайте|турбуйте) (?:мені|"
        r"нам|більше)|\bбільше не (?:пишіть|надсилайте|турбуйте)|\bне хочу (?:більше )?отримувати"
    ),
    subject_example="Автоматична відповідь: Питання",
    away_example="Я перебуваю у відпустці до 14 серпня. З термінових питань прошу звертатися до секретаря.",
    gone_example="Анна Лі більше не працює в компанії.",
    stop_examples=("Відписатися", "Видаліть мене з розсилки."),
)

EASTERN = (POLISH, CZECH, SLOVAK, HUNGARIAN, ROMANIAN, CROATIAN, TURKISH, GREEK, RUSSIAN, UKRAINIAN)
