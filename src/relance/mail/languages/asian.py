"""The languages of Asia and the Middle East."""

from relance.mail.languages.language import Language

JAPANESE = Language(
    code="ja",
    name="Japanese",
    script=r"[\u3040-\u30ff]",
    away_subject=r"自動(?:返信|応答)|不在|休暇|外出|【?自動返信|夏季休業|年末年始|出張中|\[自動返信",
    absent=r"(?:不在に(?:して|し|なり)|休暇を(?:いただ|頂|取得)|休暇中|出張(?:中|のため)|外出(?:中|して)|休業(?:とさせて|いたし|日)|お休みを)",
    limits=r"(?!)",
    cover=r"(?:お急ぎの|緊急の|至急の)|代わりに|(?:戻り次第|帰社後|出社後|復帰後)",
    received=r"(?:お問い合わせ|メール)を?(?:受け付け|受付|ありがとうござい)",
    machine=r"自動(?:的に)?(?:返信|送信|応答|配信)(?:し|メール|され)|(?:このメールは|本メールは).{0,20}自動|返信(?:いただいても|されても|できません)",
    gone=(
        r"退職(?:いたし|し|致し|した)|使用(?:して(?:おりません|いません)|できなく)|(?:メール)?アドレスは?.{0,20}(?:変更|廃止|無効|使われて)|異動(?:いたし|し|"
        r"となり)|担当者が変更"
    ),
    stop_words="配信停止|購読解除|配信解除|停止|登録解除|配信停止希望|退会|解除",
    stop=(
        r"配信(?:を)?(?:停止|中止|解除)|送(?:ら|信し)ないで|今後.{0,15}(?:メール|送信|ご連絡).{0,10}(?:不要|お控え|ご遠慮)|(?:リスト|名簿)から(?:削除|外)|"
        r"(?:メール|営業).{0,10}お断り"
    ),
    subject_example="自動返信: ご質問",
    away_example="8月14日まで休暇をいただいております。お急ぎの場合は代表までご連絡ください。",
    gone_example="リーは退職いたしました。",
    stop_examples=("配信停止", "今後メールの配信を停止してください。"),
)
CHINESE = Language(
    code="zh",
    name="Chinese",
    script=r"[\u4e00-\u9fff]",
    away_subject=r"自动(?:回复|答复|回覆)|自動(?:回覆|回復|答覆)|(?:休假|外出|出差|年假|请假|請假|放假)|不在办公室|不在辦公室|休假通知",
    absent=(
        r"(?:正在|目前|我在|我正|现在|現在|本人|我将|我會|我会).{0,8}(?:休假|度假|出差|外出|休年假|请假|請假|产假|產假)|(?:不在|离开|離開)(?:办公室|辦公室)|放假|"
        r"休假(?:中|至|到|期间|期間)"
    ),
    limits=r"(?:无法|不能|無法|不便).{0,8}(?:及时|及時|查看|查阅|查閱|回复|回覆)|(?:回来|返回|回到|回來)(?:后|後|办公|辦公)?",
    cover=r"(?:如有|如果|若有|如).{0,6}(?:紧急|急事|緊急|要事)|(?:请|請)(?:联系|联络|聯繫|聯絡|致电|致電)",
    received=r"(?:邮件|郵件|来信|來信|来函)(?:已|我已|已经|已經).{0,4}收到|(?:已收到|已经收到|已經收到)(?:您|你)的",
    machine=r"(?:这是|這是|此为|此為|本邮件为|本郵件為).{0,6}(?:自动|自動)|(?:自动|自動)(?:回复|回覆|发送|發送|答复)|(?:请勿|請勿)(?:直接)?(?:回复|回覆)",
    gone=(
        r"(?:已|已经|已經)(?:离职|離職|退休)|不再(?:使用|担任|任职|任職|负责|負責|在)|(?:邮箱|郵箱|信箱|地址).{0,10}(?:停用|作废|作廢|更换|更換|变更|變更)|"
        r"(?:新|新的)(?:邮箱|郵箱|电子邮件|電子郵件)"
    ),
    stop_words="退订|退訂|取消订阅|取消訂閱|td|退出",
    stop=(
        r"(?:请|請).{0,10}(?:退订|退訂|取消订阅|取消訂閱|不要再(?:发|發|给|給|寄)|停止(?:发送|發送)|删除|刪除|移除)|(?:不要|别|請勿|请勿)再?(?:给|給|"
        r"向)?我?(?:发|發|寄|联系|聯絡)|不想(?:再)?(?:收到|接收)"
    ),
    subject_example="自动回复: 问题",
    away_example="我正在休假,8月14日返回办公室。如有紧急事务,请联系前台。",
    gone_example="李女士已离职。",
    stop_examples=("退订", "请不要再给我发邮件。"),
)
KOREAN = Language(
    code="ko",
    name="Korean",
    script=r"[\uac00-\ud7af]",
    away_subject=r"자동 ?(?:회신|응답|답장)|부재 ?중|휴가|\[?자동|출장",
    absent=r"(?:현재|저는)?.{0,10}(?:휴가|출장|부재|교육|육아휴직)(?: ?중|로 인해|을 |입니다|으로)|자리를 비우",
    limits=r"(?:확인|답변|회신)이? ?(?:어렵|늦|지연|불가)|복귀(?: ?후|하는|예정|하여)",
    cover=r"(?:급한|긴급한|급하신|긴급)|(?:문의|연락)(?:하여|해)? ?(?:주시기|주십시오|주세요|바랍니다)",
    machine=r"자동(?:으로)? ?(?:회신|응답|발송|답장)",
    gone=r"퇴사(?:하|했|한)|퇴직(?:하|했)|더 이상 (?:사용|근무|재직)|(?:메일|이메일) ?주소가? ?(?:변경|바뀌)",
    stop_words="수신거부|수신 거부|구독취소|구독 취소|구독해지|거부",
    stop=(
        r"(?:이메일|메일).{0,10}보내지 ?(?:마|말)|(?:목록|명단|리스트)에서.{0,6}(?:삭제|빼|제외)|"
        r"수신을? ?(?:거부|원하지)|"
        r"더 이상.{0,12}(?:보내지|받고 싶지|연락하지)"
    ),
    subject_example="자동 회신: 질문",
    away_example="저는 현재 휴가 중입니다. 급한 용무는 대표 번호로 연락해 주시기 바랍니다.",
    gone_example="이 담당자는 퇴사하였습니다.",
    stop_examples=("수신거부", "목록에서 삭제해 주세요."),
)
HEBREW = Language(
    code="he",
    name="Hebrew",
    script=r"[\u0590-\u05ff]",
    away_subject=r"מענה אוטומטי|תשובה אוטומטית|מחוץ למשרד|בחופש",
    absent=r"(?:אני|הנני|אהיה)\b.{0,20}(?:מחוץ למשרד|בחופש|לא במשרד|נעדר)|אעדר",
    limits=r"גישה מוגבלת|(?:אחזור|חוזר|אשוב|עם שובי)",
    cover=r"(?:במקרה|בנושאים|לעניינים) דחופ|במקרים דחופים|(?:ניתן|נא|אנא) (?:לפנות|פנה|פנו)",
    machine=r"(?:זוהי|זו) (?:הודעה|תשובה) אוטומטית|מענה אוטומטי",
    gone=r"(?:אינ[הו]|כבר לא|לא) עובד[ת]? (?:עוד|יותר|ב)|פרש(?:ה)? לגמלאות|סיימ(?:תי|ה) את (?:עבודת|תפקיד)",
    stop_words="הסר|הסרה|להסיר|הסירו אותי|הסר אותי",
    stop=r"(?:הסירו|הסר|תסירו|נא להסיר|אנא הסר\w*) (?:אותי|אותנו|מ)|(?:לא|אל) (?:לשלוח|תשלחו)|לא מעוניין לקבל",
    subject_example="מענה אוטומטי: שאלה",
    away_example="אני מחוץ למשרד עד ה-14 באוגוסט. במקרים דחופים ניתן לפנות למזכירות.",
    gone_example="גב' לי כבר לא עובדת בחברה.",
    stop_examples=("הסר", "נא להסיר אותי מרשימת התפוצה."),
)
ARABIC = Language(
    code="ar",
    name="Arabic",
    script=r"[\u0600-\u06ff]",
    away_subject=r"رد تلقائي|الرد التلقائي|خارج المكتب|(?:في )?إجازة|في اجازة",
    absent=(
        r"(?:أنا|انا|سأكون|إنني)\b.{0,20}(?:خارج المكتب|في إجازة|في اجازة)|خارج المكتب (?:حتى|من)|في إجازة "
        r"(?:حتى|من)"
    ),
    limits=r"(?:سأعود|العودة|عند عودتي)",
    cover=r"(?:للأمور|للحالات|في الحالات) (?:العاجلة|الطارئة)|(?:يرجى|الرجاء) (?:الاتصال|التواصل|مراسلة)",
    machine=r"(?:هذه|هذا) (?:رسالة|رد) (?:آلية|تلقائي|تلقائية)|رد تلقائي",
    gone=r"(?:لم (?:أعد|يعد|تعد)) (?:أعمل|يعمل|تعمل|مستخدم)|تقاعد|ترك(?:ت)? (?:العمل|الشركة)",
    stop_words="إلغاء الاشتراك|الغاء الاشتراك|إلغاء|توقف",
    stop=(
        r"(?:أزيلوني|احذفوني|أزل بريدي|إزالة (?:اسمي|بريدي|عنواني))|(?:لا|عدم) (?:ترسلوا|إرسال|أريد (?:المزيد|"
        r"استلام))|إلغاء اشتراكي"
    ),
    subject_example="رد تلقائي: سؤال",
    away_example="أنا خارج المكتب حتى 14 أغسطس. للحالات العاجلة يرجى الاتصال بالاستقبال.",
    gone_example="السيدة لي لم تعد تعمل في الشركة.",
    stop_examples=("إلغاء الاشتراك", "أرجو إزالة بريدي من القائمة."),
)
VIETNAMESE = Language(
    code="vi",
    name="Vietnamese",
    common="tôi không là vui đang ngày và cho còn",
    away_subject=r"trả lời tự động|phản hồi tự động|vắng mặt|nghỉ phép|không có mặt",
    absent=r"(?:tôi|hiện)\b.{0,30}(?:nghỉ phép|đi vắng|vắng mặt|đi công tác|không có mặt|nghỉ lễ)",
    limits=r"(?:sẽ (?:quay lại|trở lại|phản hồi)|khi (?:tôi )?(?:trở lại|quay lại))",
    cover=r"(?:trường hợp|việc|vấn đề) (?:khẩn|gấp)|vui lòng liên hệ",
    machine=r"đây là (?:thư|email|tin nhắn) (?:trả lời )?tự động|trả lời tự động",
    gone=r"không còn (?:làm việc|sử dụng|công tác)|đã (?:nghỉ việc|nghỉ hưu)",
    stop_words="hủy đăng ký|huỷ đăng ký|ngừng gửi|dừng",
    stop=(
        r"\b(?:xóa|xoá|bỏ|loại) (?:tôi|email của tôi|địa chỉ)|\b(?:đừng|không|ngừng) gửi (?:email|thư)|không "
        r"muốn nhận"
    ),
    subject_example="Trả lời tự động: Câu hỏi",
    away_example="Tôi đang nghỉ phép đến ngày 14/8/2026. Trường hợp khẩn vui lòng liên hệ lễ tân.",
    gone_example="Chị Lee không còn làm việc tại công ty.",
    stop_examples=("Hủy đăng ký", "Vui lòng xóa tôi khỏi danh sách."),
)
INDONESIAN = Language(
    code="id",
    name="Indonesian, Malay",
    common="saya tidak dan yang untuk ini akan dari",
    away_subject=r"balasan otomatis|jawaban otomatis|(?:sedang )?cuti|di luar kantor|balasan automatik",
    absent=r"(?:saya|kami)\b.{0,30}(?:sedang cuti|cuti|di luar kantor|tidak (?:berada )?di kantor|bercuti|libur)",
    limits=r"(?:akan kembali|kembali (?:pada|ke kantor|bekerja)|akses terbatas)",
    cover=r"(?:hal|keperluan|urusan) (?:yang )?mendesak|selama saya (?:cuti|tidak)|(?:silakan|sila|mohon) hubungi",
    machine=r"ini adalah (?:balasan|pesan|email) otomatis|balasan otomatis|secara otomatis",
    gone=(
        r"(?:sudah )?tidak lagi (?:bekerja|digunakan|bergabung)|sudah (?:tidak bekerja|pensiun|resign)|"
        r"mengundurkan diri"
    ),
    stop_words="berhenti berlangganan|berhenti|hapus(?: saya)?|stop",
    stop=(
        r"\b(?:hapus|keluarkan) (?:saya|email saya|alamat saya)|\b(?:jangan|tolong jangan|berhenti) (?:kirim|"
        r"mengirim|hubungi)|tidak ingin menerima"
    ),
    subject_example="Balasan otomatis: Pertanyaan",
    away_example="Saya sedang cuti sampai 14 Agustus. Untuk hal mendesak silakan hubungi resepsionis.",
    gone_example="Ibu Lee tidak lagi bekerja di perusahaan ini.",
    stop_examples=("Berhenti berlangganan", "Tolong hapus saya dari daftar."),
)

ASIAN = (JAPANESE, CHINESE, KOREAN, HEBREW, ARABIC, VIETNAMESE, INDONESIAN)
