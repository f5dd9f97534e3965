pub fn parse_header(line: &str) -> Result<(String, String), HeaderError> {
    let (name, value) = line.split_once(':').ok_or(HeaderError::NoColon)?;
    if name.is_empty() || name.chars().any(char::is_whitespace) {
        return Err(HeaderError::BadName(name.to_owned()));
    }
    Ok((name.to_ascii_lowercase(), value.trim().to_owned()))
}

fn percentile(samples: &mut Vec<f64>, percent: f64) -> Option<f64> {
    if samples.is_empty() {
        return None;
    }
    samples.sort_by(|a, b| a.total_cmp(b));
    let position = percent / 100.0 * (samples.len() - 1) as f64;
    let (low, high) = (position.floor() as usize, position.ceil() as usize);
    let weight = position - low as f64;
    Some(samples[low] * (1.0 - weight) + samples[high] * weight)
}

impl<T: Clone> History<T> {
    pub fn undo(&mut self, current: &T) -> Option<T> {
        let previous = self.past.pop()?;
        self.future.push(current.clone());
        if self.future.len() > self.limit {
            self.future.remove(0);
        }
        self.n_undone += 1;
        Some(previous)
    }
}

fn collect_files(root: &Path, extension: &str) -> io::Result<Vec<PathBuf>> {
    let mut stack = vec![root.to_path_buf()];
    let mut files = Vec::new();
    while let Some(folder) = stack.pop() {
        for entry in fs::read_dir(&folder)? {
            let path = entry?.path();
            if path.is_dir() {
                stack.push(path);
            } else if path.extension().is_some_and(|found| found == extension) {
                files.push(path);
            }
        }
    }
    files.sort_unstable();
    Ok(files)
}

pub fn encode_varint(mut value: u64, out: &mut Vec<u8>) -> usize {
    let before = out.len();
    loop {
        let byte = (value & 0x7f) as u8;
        value >>= 7;
        if value == 0 {
            out.push(byte);
            break;
        }
        out.push(byte | 0x80);
    }
    out.len() - before
}

fn spawn_workers(count: usize, jobs: Receiver<Job>, results: &Sender<Outcome>) -> Vec<JoinHandle<()>> {
    let jobs = shared(jobs);
    (0..count)
        .map(|number| {
            let (jobs, results) = (jobs.clone(), results.clone());
            thread::spawn(move || {
                while let Ok(job) = { jobs.lock().unwrap().recv() } {
                    let outcome = job.run(number);
                    if results.send(outcome).is_err() {
                        break;
                    }
                }
            })
        })
        .collect()
}

fn wrap_words(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = vec![String::new()];
    for word in text.split_whitespace() {
        let line = lines.last_mut().expect("there is a line");
        if !line.is_empty() && line.len() + 1 + word.len() > width {
            lines.push(word.to_string());
        } else {
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
    }
    lines
}

impl Display for Amount {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let sign = if self.cents < 0 { "-" } else { "" };
        let cents = self.cents.unsigned_abs();
        match self.currency {
            Currency::Euro => write!(f, "{sign}{}.{:02} EUR", cents / 100, cents % 100),
            Currency::Yen => write!(f, "{sign}{cents} JPY"),
            Currency::Other(ref code) => write!(f, "{sign}{cents} {code}"),
        }
    }
}

fn count_components(edges: &[(usize, usize)], n: usize) -> usize {
    let mut parent: Vec<usize> = (0..n).collect();
    fn find(parent: &mut [usize], mut at: usize) -> usize {
        while parent[at] != at {
            parent[at] = parent[parent[at]];
            at = parent[at];
        }
        at
    }
    for &(a, b) in edges {
        let root = find(&mut parent, a);
        parent[root] = b;
    }
    (0..n).filter(|&at| parent[at] == at).count()
}

pub async fn handle_upload(State(app): State<App>, mut form: Multipart) -> Result<Json<Upload>, Failure> {
    let mut upload = Upload::default();
    while let Some(field) = form.next_field().await? {
        let name = sanitize(field.file_name());
        let data = field.bytes().await?;
        if data.len() > app.config.max_upload {
            return Err(Failure::TooLarge { name, size: data.len() });
        }
        upload.sizes.push(app.storage.put(&name, data).await?);
    }
    Ok(Json(upload))
}

fn next_prime(after: u32) -> u32 {
    let is_prime = |n: u32| n > 1 && (2..).take_while(|d| d * d <= n).all(|d| n % d != 0);
    let mut candidate = after + 1;
    while !is_prime(candidate) {
        candidate = candidate.checked_add(1).expect("primes go on");
    }
    candidate
}

fn evict_oldest(cache: &mut HashMap<Key, Slot>, keep: usize) -> Vec<Key> {
    let mut ages: Vec<(Instant, Key)> = cache.iter().map(|(key, slot)| (slot.used_at, key.clone())).collect();
    ages.sort_unstable();
    ages.truncate(ages.len().saturating_sub(keep));
    for (_, key) in &ages {
        if let Some(slot) = cache.remove(key) {
            slot.release();
        }
    }
    ages.into_iter().map(|(_, key)| key).collect()
}
