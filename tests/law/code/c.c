static int parse_port(const char *text, unsigned short *port)
{
    char *end;
    long value = strtol(text, &end, 10);
    if (end == text || *end != '\0')
        return -EINVAL;
    if (value < 1 || value > 65535)
        return -ERANGE;
    *port = (unsigned short)value;
    return 0;
}

void ring_push(struct ring *ring, const void *item)
{
    size_t at = (ring->head + ring->length) % ring->capacity;
    memcpy(ring->slots + at * ring->width, item, ring->width);
    if (ring->length < ring->capacity) {
        ring->length++;
    } else {
        ring->head = (ring->head + 1) % ring->capacity;
        ring->n_dropped++;
    }
}

struct node *tree_insert(struct node *root, int key, void *value)
{
    struct node **link = &root;
    while (*link != NULL) {
        if ((*link)->key == key) {
            (*link)->value = value;
            return root;
        }
        link = key < (*link)->key ? &(*link)->left : &(*link)->right;
    }
    *link = calloc(1, sizeof **link);
    (*link)->key = key;
    (*link)->value = value;
    return root;
}

uint32_t crc_update(uint32_t crc, const uint8_t *data, size_t length)
{
    crc = ~crc;
    while (length--) {
        crc ^= *data++;
        for (int bit = 0; bit < 8; bit++)
            crc = (crc >> 1) ^ (0xedb88320u & -(crc & 1));
    }
    return ~crc;
}

static bool read_exactly(int fd, void *buffer, size_t count)
{
    char *cursor = buffer;
    do {
        ssize_t got = read(fd, cursor, count);
        if (got == 0)
            return false;
        if (got < 0) {
            if (errno == EINTR)
                continue;
            perror("read");
            return false;
        }
        cursor += got;
        count -= got;
    } while (count > 0);
    return true;
}

int compare_versions(const char *left, const char *right)
{
    for (;;) {
        unsigned a = strtoul(left, (char **)&left, 10);
        unsigned b = strtoul(right, (char **)&right, 10);
        if (a != b)
            return a < b ? -1 : 1;
        if (*left == '\0' && *right == '\0')
            return 0;
        left += *left == '.';
        right += *right == '.';
    }
}

void matrix_multiply(const double *a, const double *b, double *product, int n)
{
    for (int row = 0; row < n; row++)
        for (int column = 0; column < n; column++) {
            double sum = 0.0;
            for (int k = 0; k < n; k++)
                sum += a[row * n + k] * b[k * n + column];
            product[row * n + column] = sum;
        }
}

char *join_path(const char *folder, const char *name)
{
    size_t n_folder = strlen(folder), n_name = strlen(name);
    bool has_slash = n_folder > 0 && folder[n_folder - 1] == '/';
    char *path = malloc(n_folder + n_name + 2);
    if (path == NULL)
        die("out of memory");
    memcpy(path, folder, n_folder);
    if (!has_slash)
        path[n_folder++] = '/';
    strcpy(path + n_folder, name);
    return path;
}

static void expire_sessions(struct table *table, time_t now)
{
    struct session *next;
    for (struct session *session = table->first; session != NULL; session = next) {
        next = session->next;
        if (difftime(now, session->last_seen) <= table->timeout)
            continue;
        unlink_session(table, session);
        table->n_expired += 1;
        session_free(session);
    }
}

int utf8_decode(const unsigned char *s, int *length)
{
    int needed = s[0] < 0x80 ? 0 : s[0] < 0xe0 ? 1 : s[0] < 0xf0 ? 2 : 3;
    int rune = needed == 0 ? s[0] : s[0] & (0x3f >> needed);
    for (int i = 1; i <= needed; i++) {
        if ((s[i] & 0xc0) != 0x80) {
            *length = i;
            return 0xfffd;
        }
        rune = rune << 6 | (s[i] & 0x3f);
    }
    *length = needed + 1;
    return rune;
}

enum state next_state(enum state state, int event)
{
    switch (state) {
    case IDLE:
        return event == EVENT_START ? RUNNING : IDLE;
    case RUNNING:
        if (event == EVENT_PAUSE)
            return PAUSED;
        return event == EVENT_STOP ? STOPPED : RUNNING;
    case PAUSED:
        return event == EVENT_START ? RUNNING : PAUSED;
    default:
        log_warning("no way out of state %d", state);
        return STOPPED;
    }
}

static struct option *find_option(struct options *options, const char *argument)
{
    if (strncmp(argument, "--", 2) != 0)
        return NULL;
    const char *name = argument + 2;
    size_t length = strcspn(name, "=");
    for (size_t i = 0; i < options->count; i++) {
        struct option *option = &options->list[i];
        if (strlen(option->name) == length && !memcmp(option->name, name, length))
            return option;
    }
    return NULL;
}
